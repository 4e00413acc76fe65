-- The tables that Evergreen's recipe reads, with 10,000 loans to 3,001 readers: 250 for each of the 40 days from
-- 2026-11-27. Loan 40 and the next few of that first day are the difficult ones.
CREATE SCHEMA action;
CREATE SCHEMA actor;
CREATE SCHEMA asset;
CREATE SCHEMA money;
CREATE SCHEMA permission;
CREATE SCHEMA reporter;
CREATE TABLE actor.org_unit (id SERIAL PRIMARY KEY, shortname TEXT NOT NULL, name TEXT NOT NULL);
CREATE TABLE permission.grp_tree (id SERIAL PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE actor.usr (
  id SERIAL PRIMARY KEY, profile INT NOT NULL, usrname TEXT NOT NULL, email TEXT, passwd TEXT,
  first_given_name TEXT NOT NULL, family_name TEXT NOT NULL,
  day_phone TEXT, evening_phone TEXT, other_phone TEXT, locale TEXT
);
CREATE TABLE asset.call_number (
  id BIGSERIAL PRIMARY KEY, record BIGINT NOT NULL, owning_lib INT NOT NULL, label TEXT NOT NULL
);
CREATE TABLE asset.copy (
  id BIGSERIAL PRIMARY KEY, circ_lib INT NOT NULL, call_number BIGINT NOT NULL, status INT NOT NULL DEFAULT 0,
  barcode TEXT NOT NULL, circ_modifier TEXT, dummy_title TEXT, dummy_author TEXT
);
CREATE TABLE reporter.materialized_simple_record (
  id BIGINT PRIMARY KEY, title TEXT, author TEXT, isbn TEXT[]
);
CREATE TABLE money.billable_xact (
  id BIGSERIAL PRIMARY KEY, usr INT NOT NULL, xact_start TIMESTAMP WITH TIME ZONE NOT NULL DEFAULT NOW(),
  xact_finish TIMESTAMP WITH TIME ZONE
);
CREATE TABLE action.circulation (
  target_copy BIGINT NOT NULL, circ_lib INT NOT NULL, renewal_remaining INT NOT NULL,
  due_date TIMESTAMP WITH TIME ZONE, checkin_time TIMESTAMP WITH TIME ZONE,
  stop_fines TEXT CHECK (stop_fines IN (
    'CHECKIN','CLAIMSRETURNED','LOST','MAXFINES','RENEW','LONGOVERDUE','CLAIMSNEVERCHECKEDOUT'))
) INHERITS (money.billable_xact);
CREATE TABLE action.hold_request (
  id SERIAL PRIMARY KEY, capture_time TIMESTAMP WITH TIME ZONE, fulfillment_time TIMESTAMP WITH TIME ZONE,
  cancel_time TIMESTAMP WITH TIME ZONE, target BIGINT NOT NULL, hold_type TEXT
);

INSERT INTO actor.org_unit VALUES (1, 'HLV', 'Hlavní knihovna'), (2, 'SEV', 'Pobočka „Sever“');
INSERT INTO permission.grp_tree VALUES (2, 'Patrons');
INSERT INTO actor.usr (id, profile, usrname, email, first_given_name, family_name, day_phone)
  SELECT n, 2, n, 'r' || n || '@example.org', 'Réka', 'O''Brien ' || n, '' FROM generate_series(1, 3001) n;
INSERT INTO asset.call_number SELECT n, n, 1, 'CZ ' || n FROM generate_series(1, 10000) n;
INSERT INTO asset.copy SELECT n, 1, n, 1, 300000 + n, 'book' FROM generate_series(1, 10000) n;
INSERT INTO reporter.materialized_simple_record
  SELECT n, 'Abigél ' || n, 'Szabó Magda', '{}' FROM generate_series(1, 10000) n;
INSERT INTO action.circulation (id, usr, xact_start, target_copy, circ_lib, renewal_remaining, due_date)
  SELECT n, 1 + n % 3001, '2026-11-01 10:15:00.123456+01', n, 1, 2,
    timestamptz '2026-11-27 23:59:59+01' + n % 40 * interval '1 day'
  FROM generate_series(1, 10000) n;

UPDATE reporter.materialized_simple_record SET title = 'Tom & "Jerry''s" <x> – Tüskevár' WHERE id = 40;
UPDATE action.circulation SET circ_lib = 2 WHERE id = 80;
UPDATE reporter.materialized_simple_record SET title = 'Lost' WHERE id = 120;
UPDATE action.circulation SET stop_fines = 'LONGOVERDUE' WHERE id = 120;
UPDATE asset.copy SET status = 16 WHERE id = 120;
UPDATE reporter.materialized_simple_record SET title = 'Claimed' WHERE id = 160;
UPDATE action.circulation SET stop_fines = 'CLAIMSRETURNED' WHERE id = 160;
UPDATE actor.usr SET email = NULL WHERE id = 201;
UPDATE asset.copy SET dummy_title = 'Without a record' WHERE id = 240;
DELETE FROM reporter.materialized_simple_record WHERE id = 240;
UPDATE reporter.materialized_simple_record SET title = 'Recalled' WHERE id = 280;
INSERT INTO action.hold_request (hold_type, target, cancel_time) VALUES ('R', 280, NULL), ('R', 320, now());
UPDATE reporter.materialized_simple_record SET title = 'Returned' WHERE id = 41;
-- What has come back stays in the table.
INSERT INTO action.circulation (id, usr, target_copy, circ_lib, renewal_remaining, due_date, checkin_time)
  VALUES (10001, 5, 40, 1, 2, '2026-11-27 23:59:59+01', now());
