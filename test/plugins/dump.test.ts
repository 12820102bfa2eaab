import { describe, expect, test } from 'vitest';
import { dumpRows } from '../../src/plugins/mysql-dump.ts';
import { cutAt, pieces } from './pieces.ts';

/** As mysqldump of MySQL 8 writes a table, apart from the data. */
const HEAD = `-- MySQL dump 10.13  Distrib 8.0.39, for Linux (x86_64)
--
-- Host: localhost    Database: o'reilly's; server
-- ------------------------------------------------------
/*!40101 SET @OLD_CHARACTER_SET_CLIENT=@@CHARACTER_SET_CLIENT */;
/*!40103 SET TIME_ZONE='+00:00' */;

DROP TABLE IF EXISTS \`votes\`;
CREATE TABLE \`votes\` (
  \`uuid\` varchar(36) NOT NULL,
  \`last_name\` varchar(16) DEFAULT 'a, b)' COMMENT 'it''s (a name)',
  \`rate\` decimal(10,2) DEFAULT NULL,
  PRIMARY KEY (\`uuid\`),
  KEY \`uuid_votes_idx\` (\`uuid\`,\`last_name\`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

LOCK TABLES \`votes\` WRITE;
`;

async function rows(text: string, sizes: readonly number[] = []) {
  const found: unknown[] = [];
  for await (const { table, row } of dumpRows(cutAt(text, sizes))) {
    found.push('why' in row ? `${row.at} ${row.why}` : [table, row.at, ...row.values.values()]);
  }
  return found;
}

describe('Rows of a MySQL dump', () => {
  test('are found by the columns of CREATE TABLE, whatever comments, keys and defaults contain', async () => {
    const text = `${HEAD}INSERT INTO \`votes\` VALUES ('u1','Steve',1.50),('u2',NULL,-3);\nUNLOCK TABLES;\n`;
    expect(await rows(text)).toEqual([
      ['votes', 'line 18', 'u1', 'Steve', '1.50'],
      ['votes', 'line 18', 'u2', null, '-3'],
    ]);
  });

  test('keep what was escaped: quotes, backslashes, line breaks, semicolons and parentheses', async () => {
    const text = `${HEAD}INSERT INTO votes VALUES ('a\\'b''c','x\\\\y\\n);(','_binary'),(_binary 'q',"d\\"e",0x41);`;
    expect(await rows(text)).toEqual([
      ['votes', 'line 18', "a'b'c", 'x\\y\n);(', '_binary'],
      ['votes', 'line 18', 'q', 'd"e', '0x41'],
    ]);
  });

  test('go by the columns that the INSERT names, and by table', async () => {
    const text = `INSERT IGNORE INTO \`db\`.\`a\` (\`x\`, y) VALUES (1,2) ON DUPLICATE KEY UPDATE x = '1;2';
REPLACE INTO b (z) VALUES
  ('3'),
  ('4');`;
    expect(await rows(text)).toEqual([
      ['a', 'line 1', '1', '2'],
      ['b', 'line 3', '3'],
      ['b', 'line 4', '4'],
    ]);
  });

  test('are the same wherever the file is cut', async () => {
    const text = `${HEAD}INSERT INTO \`votes\` VALUES ('a\\'b','x\\\\',1),('u2',NULL,-3);\n-- done -- ; '\nINSERT INTO votes VALUES ('u3','é',0);\n`;
    const whole = await rows(text);
    expect(whole).toHaveLength(3);
    for (let at = 1; at < text.length; at++) expect(await rows(text, [at])).toEqual(whole);
    expect(await rows(text, pieces(text, 1))).toEqual(whole);
  });

  test('that cannot be read are reported with their line, and the next statement is read', async () => {
    const text = `${HEAD}INSERT INTO votes VALUES ('u1','Steve');
INSERT INTO votes VALUES ('u2' 'Alex',1),('lost','lost',1);
INSERT INTO others VALUES (1);
INSERT INTO votes SELECT * FROM old;
INSERT INTO votes VALUES ('u4','Eva',4);`;
    expect(await rows(text)).toEqual([
      'line 18 has 2 values for 3 columns',
      "line 19 has “'” where a comma belongs",
      'line 20 belongs to a table whose columns the dump does not name',
      'line 21 is an INSERT that does not list its rows as VALUES',
      ['votes', 'line 22', 'u4', 'Eva', '4'],
    ]);
  });

  test('before a dump is cut off are read, and the cut is reported', async () => {
    const text = `${HEAD}INSERT INTO votes VALUES ('u1','Steve',1),('u2','Al`;
    expect(await rows(text)).toEqual([
      ['votes', 'line 18', 'u1', 'Steve', '1'],
      'line 18 is cut off: the dump is not complete',
    ]);
  });
});
