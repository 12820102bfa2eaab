import { describe, expect, test } from 'vitest';
import { Sqlite } from '../../src/platform/sqlite/driver.ts';
import { compileLater } from '../../src/platform/sqlite/later-statements.ts';
import type { Database } from '../../src/platform/sqlite/open.ts';

const PLAYERS = 'SELECT name FROM players ORDER BY name';

interface Compiling {
  readonly database: Database;
  /** What was compiled, in order. */
  readonly compiled: readonly string[];
}

function compiling(): Compiling {
  const database = new Sqlite(':memory:');
  database.exec("CREATE TABLE players (name TEXT); INSERT INTO players VALUES ('Alex'), ('Steve')");
  const compiled: string[] = [];
  const compile = database.prepare.bind(database);
  const noted = (sql: string) => {
    compiled.push(sql);
    return compile(sql);
  };
  database.prepare = noted as unknown as Database['prepare'];
  compileLater(database);
  return { database, compiled };
}

describe('a statement', () => {
  test('is compiled when it first runs', () => {
    const { database, compiled } = compiling();
    const statement = database.prepare(PLAYERS);
    expect(compiled).toEqual([]);
    statement.all();
    expect(compiled).toEqual([PLAYERS]);
  });

  test('that does not fit the tables is refused when it runs', () => {
    const statement = compiling().database.prepare('SELECT name FROM servers');
    expect(() => statement.all()).toThrow('no such table: servers');
  });

  test('is compiled once, however often the same text is prepared', () => {
    const { database, compiled } = compiling();
    for (let run = 0; run < 3; run++) database.prepare(PLAYERS).all();
    expect(compiled).toHaveLength(1);
  });

  test('answers with what it was prepared for, whatever another with the same text answers with', () => {
    const { database } = compiling();
    const [rows, names, lists] = [
      database.prepare(PLAYERS),
      database.prepare(PLAYERS).pluck(),
      database.prepare(PLAYERS).raw(),
    ];
    for (let run = 0; run < 2; run++) {
      expect(rows.get()).toEqual({ name: 'Alex' });
      expect(names.get()).toBe('Alex');
      expect(lists.get()).toEqual(['Alex']);
    }
  });

  test('runs while the rows of another with the same text are read', () => {
    const { database } = compiling();
    const [outer, inner] = [database.prepare(PLAYERS).pluck(), database.prepare(PLAYERS).pluck()];
    outer.all();
    inner.all();
    const pairs: unknown[] = [];
    for (const first of outer.iterate()) for (const second of inner.iterate()) pairs.push([first, second]);
    expect(pairs).toEqual([
      ['Alex', 'Alex'],
      ['Alex', 'Steve'],
      ['Steve', 'Alex'],
      ['Steve', 'Steve'],
    ]);
  });

  test('that has not run for 512 others is forgotten', () => {
    const { database, compiled } = compiling();
    const run = (text: string): unknown => database.prepare(text).get();
    run(PLAYERS);
    for (let number = 1; number <= 511; number++) run(`SELECT ${number}`);
    run(PLAYERS);
    expect(compiled).toHaveLength(512);
    for (let number = 512; number <= 1_024; number++) run(`SELECT ${number}`);
    run(PLAYERS);
    expect(compiled.filter((sql) => sql === PLAYERS)).toHaveLength(2);
  });
});
