-- The tables that Koha's recipe reads, with 10,000 loans to 3,001 readers: 250 for each of the 40 days from
-- 2026-11-27. Loan 40 and the next few of that first day are the difficult ones.
CREATE TABLE branches (
  branchcode varchar(10) NOT NULL DEFAULT '' PRIMARY KEY,
  branchname longtext NOT NULL
);
CREATE TABLE borrowers (
  borrowernumber int(11) NOT NULL AUTO_INCREMENT PRIMARY KEY,
  surname longtext, firstname mediumtext, email longtext, phone mediumtext, mobile tinytext, emailpro mediumtext,
  branchcode varchar(10) NOT NULL DEFAULT '',
  categorycode varchar(10) NOT NULL DEFAULT '',
  lang varchar(25) NOT NULL DEFAULT 'default'
);
CREATE TABLE biblio (
  biblionumber int(11) NOT NULL AUTO_INCREMENT PRIMARY KEY,
  author longtext, title longtext, subtitle longtext
);
CREATE TABLE items (
  itemnumber int(11) NOT NULL AUTO_INCREMENT PRIMARY KEY,
  biblionumber int(11) NOT NULL DEFAULT 0,
  barcode varchar(20),
  itemlost tinyint(1) NOT NULL DEFAULT 0,
  itemcallnumber varchar(255),
  itype varchar(10)
);
CREATE TABLE issues (
  issue_id int(11) NOT NULL AUTO_INCREMENT PRIMARY KEY,
  borrowernumber int(11) NOT NULL,
  itemnumber int(11) NOT NULL,
  date_due datetime,
  branchcode varchar(10),
  issuedate datetime
);
CREATE TABLE return_claims (
  id int(11) NOT NULL AUTO_INCREMENT PRIMARY KEY,
  itemnumber int(11) NOT NULL,
  issue_id int(11),
  borrowernumber int(11) NOT NULL,
  resolved_on timestamp NULL DEFAULT NULL
);
CREATE TABLE recalls (
  recall_id int(11) NOT NULL AUTO_INCREMENT PRIMARY KEY,
  status enum('requested','overdue','waiting','in_transit','cancelled','expired','fulfilled') DEFAULT 'requested',
  item_id int(11)
);

INSERT INTO branches VALUES ('HLV', 'Hlavní knihovna'), ('SEV', 'Pobočka „Sever“');
INSERT INTO borrowers (borrowernumber, surname, firstname, email, phone, branchcode, categorycode)
  SELECT seq, CONCAT('O''Brien ', seq), 'Réka', CONCAT('r', seq, '@example.org'), '', 'HLV', 'ADULT'
  FROM seq_1_to_3001;
INSERT INTO biblio SELECT seq, 'Szabó Magda', CONCAT('Abigél ', seq), NULL FROM seq_1_to_10000;
INSERT INTO items SELECT seq, seq, 300000 + seq, 0, CONCAT('CZ ', seq), 'BK' FROM seq_1_to_10000;
INSERT INTO issues SELECT seq, 1 + seq MOD 3001, seq,
  TIMESTAMP('2026-11-27 23:59:00') + INTERVAL seq MOD 40 DAY, 'HLV', '2026-11-01 10:15:00' FROM seq_1_to_10000;

UPDATE biblio SET title = 'Tom & "Jerry''s" <x>', subtitle = '– Tüskevár' WHERE biblionumber = 40;
UPDATE issues SET branchcode = 'SEV' WHERE issue_id = 80;
UPDATE biblio SET title = 'Lost' WHERE biblionumber = 120;
UPDATE items SET itemlost = 1 WHERE itemnumber = 120;
UPDATE biblio SET title = 'Claimed' WHERE biblionumber = 160;
UPDATE items SET itemlost = 5 WHERE itemnumber = 160;
INSERT INTO return_claims (itemnumber, issue_id, borrowernumber) VALUES (160, 160, 161);
UPDATE borrowers SET email = NULL WHERE borrowernumber = 201;
UPDATE borrowers SET email = '', emailpro = 'work@example.org' WHERE borrowernumber = 241;
UPDATE biblio SET title = 'Recalled' WHERE biblionumber = 280;
INSERT INTO recalls (status, item_id) VALUES ('requested', 280), ('cancelled', 320);
UPDATE biblio SET title = 'Returned' WHERE biblionumber = 41;
