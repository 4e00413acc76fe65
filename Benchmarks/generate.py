#!/usr/bin/env python3
"""Write a large book catalogue in the native form of check-loans.

The same arguments always give the same bytes: every choice comes from the
splitmix64 generator below, none from the random module, the clock or hash order.
"""

import argparse
import datetime
import os
import sys
import unicodedata
from collections import namedtuple
from xml.sax.saxutils import escape

MASK = (1 << 64) - 1
GAMMA = 0x9E3779B97F4A7C15

WORKS = 1 << 16
PEOPLE = 1 << 15
FARTHEST_DAY = 400
RENEWAL_DAYS = 21
SHELF_PER_1024 = 51
MOST_LOANS = 10_000_000
BLOCK = 1000

Language = namedtuple(
    "Language",
    "weight groups subjects complements given families summaries family_first joiner",
)

LANGUAGES = (
    Language(
        weight=40,
        groups=("963", "615"),
        subjects=(
            "A fűzfa", "Őszi út", "A kőműves", "Két árnyék", "Az öreg híd", "Tűzvirág",
            "Az üveghegy", "A szűcs fia", "Éjféli vonat", "Hó és hűség", "Kék ördög",
            "A révész", "Zöld kapu", "Gyöngyhalász", "A bőrönd", "Holló úr",
        ),
        complements=(
            "Győrben", "a ködben", "és a méhek", "tavasszal", "hét nap alatt",
            "a tűznél", "", "", "& fiai", "éjjel", "Egerből", "örökre", "újra", "titka",
            "a vízen", "őrzője",
        ),
        given=(
            "Ágnes", "Bálint", "Csilla", "Dénes", "Éva", "Gergő", "Ildikó", "János",
            "Katalin", "László", "Márta", "Örs", "Piroska", "Tünde", "Zoltán", "Zsófi",
        ),
        families=(
            "Balogh", "Bíró", "Fehér", "Fekete", "Gönczi", "Hegedűs", "Juhász", "Kővári",
            "Lőrincz", "Mészáros", "Nagy", "Ördög", "Sipos", "Szűcs", "Tóth", "Vörös",
        ),
        summaries=("Regény.", "Mese, képekkel.", "Versek öt évszakról.", "Útleírás térképpel."),
        family_first=True,
        joiner=" ",
    ),
    Language(
        weight=25,
        groups=("300", "312", "344", "351", "378", "389"),
        subjects=(
            "Die Mühle", "Der Gärtner", "Das Rätsel", "Grüne Äpfel", "Die Brücke",
            "Süße Träume", "Der Köhler", "Fünf Vögel", "Das Märchen", "Die Königin",
            "Weiße Nächte", "Der Bär", "Das Fährhaus", "Öl und Erde", "Der Schlüssel", "Übermut",
        ),
        complements=(
            "am Fluß", "im Nebel", "über Köln", "", "", "& Söhne", "von Tübingen", "im März",
            "ohne Tür", "für zwei", "bei Nacht", "aus Blech", "der Größe < 1", "im Gebüsch",
            "und Kälte", "ganz früh",
        ),
        given=(
            "Anke", "Björn", "Cäcilie", "Dörte", "Emil", "Frauke", "Günter", "Heike",
            "Ines", "Jürgen", "Käthe", "Lothar", "Mäxchen", "Rüdiger", "Sören", "Uwe",
        ),
        families=(
            "Becker", "Böhm", "Dörfler", "Fuß", "Groß", "Hänel", "Jäger", "Kühn",
            "Lang", "Möller", "Nußbaum", "Preuß", "Schäfer", "Töpfer", "Vogt", "Zöllner",
        ),
        summaries=("Roman.", "Für Kinder ab 6 Jahren.", "Gedichte & Lieder.", "Krimi aus Lübeck."),
        family_first=False,
        joiner=" ",
    ),
    Language(
        weight=20,
        groups=("207", "213", "226", "238", "290"),
        subjects=(
            "La forêt", "L'été", "Le garçon", "Les abeilles", "L'île", "La fenêtre",
            "Un âne", "Le théâtre", "La leçon", "Noël", "Le maïs", "L'œuvre", "La sœur",
            "Deux pêcheurs", "Le château", "La clé",
        ),
        complements=(
            "à Besançon", "sans fin", "d'hiver", "", "", "& Cie", "du pôle", "en août",
            "près du gué", "où rêver", "très loin", "de Genève", "brûlé", "d'Élodie",
            "à midi", "volée",
        ),
        given=(
            "Aimée", "Benoît", "Chloé", "Désiré", "Élodie", "François", "Gaël", "Hélène",
            "Irène", "Joël", "Loïc", "Maëlle", "Noé", "Océane", "René", "Zoé",
        ),
        families=(
            "Béranger", "Chêne", "Dubois", "d'Aulnay", "Fabre", "Gérard", "Hébert", "Lacaze",
            "Lefèvre", "Maçon", "Noël", "Pagès", "Roché", "Sénéchal", "Tessier", "Vérité",
        ),
        summaries=("Roman.", "Conte illustré.", "Théâtre & poésie.", "Récit d'un été à l'île."),
        family_first=False,
        joiner=" ",
    ),
    Language(
        weight=11,
        groups=("014", "019", "052", "078", "140", "190"),
        subjects=(
            "Foxes", "The Lantern", "Salt", "A Quiet Hill", "Tides", "The Clockmaker",
            "R&D Tales", "Maps", "The Naïve Cook", "Moss", "Small Engines", "The Café",
            "Rain 🌧", "Dragons 🐉", "Harbour", "Nine Doors",
        ),
        complements=(
            "& Ferries", "for x < 0", "at Dawn", "", "", "in Winter", "& Other Lies",
            "Revisited", "of Leith", "by Heart", "📚", "Unbound", "Below", "in Bloom",
            "Again", "Far Off",
        ),
        given=(
            "Alice", "Brontë", "Colm", "Daisy", "Edwin", "Fay", "Grace", "Hugh",
            "Isla", "Jack", "Keira", "Liam", "Maud", "Niamh", "Owen", "Ruth",
        ),
        families=(
            "Ashby", "Birch", "Cole", "Dunne", "Ellis", "Frost", "Gray", "Hart",
            "Irwin", "Kerr", "Lowe", "Marsh", "O'Dea", "Pike", "Reed", "Shaw",
        ),
        summaries=("A novel.", "Short stories.", "Proofs for 0 < x < 1.", "Tea & trains, with maps."),
        family_first=False,
        joiner=" ",
    ),
    Language(
        weight=4,
        groups=("701", "711", "402", "410"),
        subjects=(
            "雪山", "竹林", "月光", "青い鳥", "長い川", "古城", "春风", "石桥",
            "夜の森", "星海", "紅葉", "茶馆", "白鶴", "海辺", "山谷", "灯火",
        ),
        complements=(
            "之歌", "物語", "记", "の謎", "", "", "🌸", "日記", "传", "の夢", "故事", "2",
            "の朝", "与我", "抄", "旅行",
        ),
        given=(
            "明", "芳", "健太", "美咲", "伟", "丽", "翔", "桜",
            "静", "涛", "陽菜", "蓮", "娜", "磊", "葵", "大輔",
        ),
        families=(
            "王", "李", "佐藤", "鈴木", "张", "陈", "高橋", "田中",
            "赵", "周", "渡辺", "伊藤", "吴", "孙", "山本", "中村",
        ),
        summaries=("小説。", "诗集", "短編 & 随筆", "旅行记"),
        family_first=True,
        joiner="",
    ),
)

BY_WEIGHT = tuple(language for language in LANGUAGES for _ in range(language.weight))


class SplitMix:
    """Steele, Lea and Flood's splitmix64; its output is the same on every machine."""

    def __init__(self, seed):
        self.state = seed & MASK

    def next(self):
        self.state = (self.state + GAMMA) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def below(self, bound):
        return (self.next() >> 16) % bound

    def pick(self, values):
        return values[self.below(len(values))]


def isbn13(group, number):
    """The ISBN of a three-digit group and a six-digit number, with its check digit."""
    digits = f"978{group}{number:06d}"
    total = sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(digits))
    return f"{digits}{-total % 10}"


def line(name, text):
    return f"    <{name}>{escape(text)}</{name}>\n"


def person_name(language, given, family):
    parts = (family, given) if language.family_first else (given, family)
    return language.joiner.join(parts)


def work(rng):
    """The lines title, author, summary and isbn of one work; some lack the last three."""
    language = rng.pick(BY_WEIGHT)
    title = language.joiner.join(
        filter(None, (rng.pick(language.subjects), rng.pick(language.complements)))
    )
    author = person_name(language, rng.pick(language.given), rng.pick(language.families))
    lines = [line("title", title)]
    if rng.below(10) != 0:
        lines.append(line("author", author))
    if rng.below(20) == 0:
        lines.append(line("summary", rng.pick(language.summaries)))
    if rng.below(100) < 65:
        lines.append(line("isbn", isbn13(rng.pick(language.groups), rng.below(1_000_000))))
    return "".join(lines).encode()


def mail_name(given, family):
    """`i.kovari` for Ildikó Kővári; `reader` for a name that has no ASCII letters."""
    def ascii_letters(text):
        plain = unicodedata.normalize("NFD", text.lower().replace("ß", "ss"))
        return "".join(c for c in plain if "a" <= c <= "z")

    initial, rest = ascii_letters(given)[:1], ascii_letters(family)
    return f"{initial}.{rest}" if initial and rest else "reader"


def person(rng):
    """The lines borrower and email of one person; about a third have an address."""
    language = rng.pick(BY_WEIGHT)
    given, family = rng.pick(language.given), rng.pick(language.families)
    lines = line("borrower", person_name(language, given, family))
    number = rng.below(1000)
    if rng.below(100) < 36:
        lines += line("email", f"{mail_name(given, family)}{number}@example.org")
    return lines.encode()


def endings(today):
    """The end of a dated record for each distance in days from today."""
    table = {}
    for days in range(-FARTHEST_DAY, FARTHEST_DAY + RENEWAL_DAYS + 1):
        date = today + datetime.timedelta(days=days)
        text = f"{date.year:04d}.{date.month:02d}.{date.day:02d}"
        table[days] = f"{line('expiration', text)}  </book>\n".encode()
    return table


def blocks(loans, seed, changed, exchanged, today):
    """Yield the catalogue as byte strings of about 240 kB."""
    rng = SplitMix(seed)
    works = [work(rng) for _ in range(WORKS)]
    people = [person(rng) for _ in range(PEOPLE)]
    ending = endings(today)
    # Their own streams, so that what neither --changed nor --exchanged touches stays as it was.
    renewals, exchanges = SplitMix(rng.next()), SplitMix(rng.state ^ MASK)
    renewed_below, gone_below = (int(share / 100 * (1 << 32)) for share in (changed, exchanged))

    lows = [f"{low:03d}".encode() for low in range(BLOCK)]
    opened = [low + b'">\n' for low in lows]
    barcoded = [low + b"</barcode>\n" for low in lows]
    shelved = b"  </book>\n"

    yield b'<?xml version="1.0" encoding="UTF-8"?>\n<books>\n'
    # The body of SplitMix.next is repeated here: a call per record would double the time.
    state = rng.state
    for start in range(0, loans + 1, BLOCK):
        high = f"{start // BLOCK:04d}".encode()
        book, other_book = b'  <book id="bk' + high, b'  <book id="nw' + high
        barcode = b"    <barcode>2" + high
        pieces = []
        add = pieces.extend
        for low in range(1 if start == 0 else 0, min(BLOCK, loans + 1 - start)):
            state = (state + GAMMA) & MASK
            z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
            z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
            z ^= z >> 31
            if gone_below:
                y = exchanges.next()
                if y >> 32 < gone_below:
                    continue
                if y >> 32 < 2 * gone_below:
                    days = 1 + (y & 0xFFFF) % FARTHEST_DAY
                    add((other_book, opened[low], works[y & 0xFFFF]))
                    add((people[(y >> 16) & 0x7FFF], ending[days]))
            add((book, opened[low], works[z & 0xFFFF]))
            if z >> 62:
                add((barcode, barcoded[low]))
            if (z >> 52) & 0x3FF < SHELF_PER_1024:
                pieces.append(shelved)
                continue
            days = 1 + ((z >> 32) & 0x7FFFF) % FARTHEST_DAY
            if z & (1 << 51):
                days = -days
            if renewed_below and renewals.next() >> 32 < renewed_below:
                days += RENEWAL_DAYS
            add((people[(z >> 16) & 0x7FFF], ending[days]))
        yield b"".join(pieces)
    yield b"</books>\n"


def write(chunks, output):
    """Write through a large buffer, to OUTPUT.partial first so that OUTPUT is always whole."""
    if output is None:
        with open(sys.stdout.fileno(), "wb", buffering=1 << 22, closefd=False) as file:
            file.writelines(chunks)
        return
    partial = f"{output}.partial"
    try:
        with open(partial, "wb", buffering=1 << 22) as file:
            file.writelines(chunks)
        os.replace(partial, output)
    except BaseException:
        if os.path.exists(partial):
            os.unlink(partial)
        raise


def loan_count(text):
    count = int(text)
    if not 0 <= count <= MOST_LOANS:
        raise argparse.ArgumentTypeError(f"expected 0 to {MOST_LOANS}, found {text}")
    return count


def percentage(text):
    value = float(text)
    if not 0 <= value <= 100:
        raise argparse.ArgumentTypeError(f"expected 0 to 100, found {text}")
    return value


def calendar_date(text):
    try:
        date = datetime.date.fromisoformat(text)
        date - datetime.timedelta(days=FARTHEST_DAY)
        date + datetime.timedelta(days=FARTHEST_DAY + RENEWAL_DAYS)
    except (ValueError, OverflowError):
        raise argparse.ArgumentTypeError(f'expected a date as 2026-11-21, found "{text}"')
    return date


def arguments():
    parser = argparse.ArgumentParser(description="Write a large book catalogue, always the same.")
    parser.add_argument("loans", metavar="LOANS", type=loan_count, help="number of book records")
    parser.add_argument("seed", metavar="SEED", type=int, help="another seed, another catalogue")
    parser.add_argument("--output", metavar="FILE", help="default: standard output")
    parser.add_argument(
        "--changed", metavar="PERCENT", type=percentage, default=0.0,
        help=f"move this share of the expirations {RENEWAL_DAYS} days later, and nothing else",
    )
    parser.add_argument(
        "--exchanged", metavar="PERCENT", type=percentage, default=0.0,
        help="leave out this share of the records, and put as many new ones between the others",
    )
    parser.add_argument(
        "--today", metavar="YYYY-MM-DD", type=calendar_date, default=datetime.date(2026, 11, 21),
        help="the day around which the expirations lie (default: 2026-11-21)",
    )
    return parser.parse_args()


def main():
    options = arguments()
    chunks = blocks(options.loans, options.seed, options.changed, options.exchanged, options.today)
    try:
        write(chunks, options.output)
    except OSError as error:
        where = options.output or "standard output"
        sys.exit(f"generate.py: cannot write {where}: {error.strerror}")
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
