import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../src/core/seeded-random.ts';
import { bars } from './bars.ts';
import { median, pairedRatio, percentile } from './figures.ts';
import { barResults, type Figure, partLines, reportJson, reportLines } from './report.ts';
import { shown, tableLines } from './table.ts';
import { zipf } from './zipf.ts';

describe('figures', () => {
  const oneToHundred = Array.from({ length: 100 }, (_, index) => 100 - index);

  test.each([
    [0.5, 51],
    [0.99, 100],
    [0.999, 100],
    [0, 1],
  ])('percentile %d of 1 to 100 in any order is %d', (share, value) => {
    expect(percentile(oneToHundred, share)).toBe(value);
  });

  test('a percentile or median of nothing is 0', () => {
    expect([percentile([], 0.99), median([])]).toEqual([0, 0]);
  });

  test('the median of an even count is the mean of the middle two', () => {
    expect([median([4, 1, 3, 2]), median([9, 1, 5])]).toEqual([2.5, 5]);
  });

  test('a paired ratio compares each value with its own base, so one slow round does not change it', () => {
    expect(pairedRatio([2, 20, 2], [1, 10, 1])).toBe(2);
  });
});

describe('players by Zipf', () => {
  test('the first player votes twice as often as the second and ten times as often as the tenth', () => {
    const { next } = seededRandom(7);
    const draw = zipf(1_000, next);
    const counts = new Map<number, number>();
    for (let drawn = 0; drawn < 200_000; drawn++) {
      const player = draw();
      counts.set(player, (counts.get(player) ?? 0) + 1);
    }
    const times = (player: number) => (counts.get(0) ?? 0) / (counts.get(player) ?? 0);
    expect(times(1)).toBeCloseTo(2, 0);
    expect(Math.round(times(9))).toBe(10);
    expect(Math.max(...counts.keys())).toBeLessThan(1_000);
  });

  test.each([
    [0, 0],
    [0.999_999_999, 2],
  ])('the random number %d draws player %d of three', (random, player) => {
    expect(zipf(3, () => random)()).toBe(player);
  });
});

describe('tables', () => {
  test('align names left and figures right', () => {
    expect(
      tableLines([
        ['a', '10 ms', 'yes'],
        ['longer', '2 ms'],
      ]),
    ).toEqual(['a       10 ms  yes', 'longer   2 ms']);
  });

  test.each([
    [0.1234, '0.12'],
    [3, '3'],
    [49.96, '50.0'],
    [1_234.5, '1235'],
    [12_345.6, '12,346'],
    [Number.NaN, '-'],
  ])('show %d as %s', (value, text) => {
    expect(shown(value)).toBe(text);
  });
});

describe('the report', () => {
  const figure = (bar: Figure['bar'], value: number): Figure => ({
    part: 'P',
    row: 'r',
    figure: 'times',
    value,
    ...(bar && { bar }),
  });

  test('holds every bar against the worst figure that names it', () => {
    const results = barResults([
      figure('cpu-bare', 1.6),
      figure('cpu-bare', 1.8),
      figure('intake-large', 0.9),
    ]);
    const met = Object.fromEntries(results.map(({ id, measured, met }) => [id, [measured, met]]));
    expect(met).toMatchObject({
      'cpu-bare': [1.8, false],
      'intake-large': [0.9, true],
      'v1-cpu': [null, null],
    });
    expect(results).toHaveLength(Object.keys(bars).length);
  });

  test('a figure that equals its bar meets it, in both directions', () => {
    const results = barResults([figure('cpu-bare', 1.75), figure('slow-64-rate', 1_000)]);
    expect(results.filter(({ met }) => met === true).map(({ id }) => id)).toEqual([
      'cpu-bare',
      'slow-64-rate',
    ]);
  });

  test('has one line for each row of a part and one column for each kind of figure', () => {
    const cells: Figure[] = [
      { part: 'P', row: 'v1', figure: 'votes/s', value: 4_000 },
      { part: 'other', row: 'x', figure: 'MiB', value: 80 },
      { part: 'P', row: 'v2', figure: 'votes/s', value: 5_000 },
      { part: 'P', row: 'v2', figure: 'failed', value: 0 },
    ];
    expect(partLines('P', cells)).toEqual([
      'P     votes/s  failed',
      '  v1     4000',
      '  v2     5000       0',
    ]);
  });

  const report = {
    header: { node: 'v20' },
    figures: [figure('cpu-bare', 1.8)],
    skipped: [{ part: 'slow disk', why: 'there is no C compiler' }],
  };

  test('prints the machine, the figures, what was skipped, and each bar with what was measured', () => {
    const lines = reportLines(report);
    expect(lines.slice(0, 4)).toEqual(['node: v20', '', 'P    times', '  r   1.80']);
    expect(lines).toContain('slow disk: skipped, because there is no C compiler');
    const [bare] = lines.filter((line) => line.includes('bare Node server'));
    expect(bare).toMatch(/at most 1\.75 × +1\.80 × +NO$/);
  });

  test('is the same as JSON', () => {
    expect(JSON.parse(reportJson(report))).toMatchObject({
      ...report,
      bars: expect.arrayContaining([expect.objectContaining({ id: 'cpu-bare', measured: 1.8, met: false })]),
    });
  });
});
