import { describe, expect, test } from 'vitest';
import { durationScale } from '../../src/web/components/scale.ts';
import { barChart, dailyBars, durationChart } from '../../src/web/kit.ts';
import { naming } from '../support/naming.ts';

const VOTES = { one: 'vote', many: 'votes' };
const CHART = { id: 'chart', title: 'Votes', unit: VOTES, per: 'Day', none: 'No votes in 7 days.' };

const series = (...labels: readonly string[]) => labels.map((label) => ({ label }));
const columnOf = (name: string, ...values: readonly number[]) => ({ name, label: name, values });

const textOf = (markup: string): string =>
  markup
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
const textsOf = (markup: object, pattern: RegExp): string[] =>
  [...markup.toString().matchAll(pattern)].map(([, text = '']) => textOf(text));

const ticksOf = (chart: object) => textsOf(chart, /<li><span>([^<]*)<\/span><\/li>/g);
const tipsOf = (chart: object) => textsOf(chart, /<span class="tip">(.*?)<\/span>\s*<\/label>/gs);
const labelsOf = (chart: object) => textsOf(chart, /<span class="x-label[^>]*>(.*?)<\/span>/g);
const rowsOf = (chart: object) => textsOf(chart, /<tr>(.*?)<\/tr>/gs);
const barsOf = (chart: object) =>
  [...chart.toString().matchAll(/<rect class="([\w-]+)" y="([\d.]+)%" width="100%" height="([\d.]+)%"/g)].map(
    ([, colour, y, height]) => [colour, Number(y), Number(height)],
  );

describe('bars', () => {
  const chart = barChart({
    ...CHART,
    series: series('TopG', 'PMC'),
    columns: [columnOf('22 Nov', 1_200, 300), columnOf('23 Nov', 0, 500)],
  });

  test('are stacked from the bottom up, on an axis of round numbers', () => {
    expect(ticksOf(chart)).toEqual(['0', '500', '1K', '1.5K']);
    expect(barsOf(chart)).toEqual([
      ['series-1', 20, 80],
      ['series-2', 0, 20],
      ['series-2', 66.67, 33.33],
    ]);
  });

  test('tell their numbers to everyone who points at them, moves to them with the arrow keys, or hears them', () => {
    expect(tipsOf(chart)).toEqual(['22 Nov: 1,500 votes TopG 1,200 PMC 300', '23 Nov: 500 votes PMC 500']);
    expect(chart.toString().match(/<input type="radio" name="chart"[^>]*>/g)).toEqual([
      '<input type="radio" name="chart" autocomplete="off">',
      '<input type="radio" name="chart" autocomplete="off" checked>',
    ]);
  });

  test('have the same numbers as a table, newest first, and the total and the maximum at the top', () => {
    expect(rowsOf(chart)).toEqual(['DayTopGPMCIn all', '23 Nov0500500', '22 Nov1,2003001,500']);
    expect(chart.toString()).toEqual(naming('2,000 votes', '22 Nov', '1,500'));
  });

  test.each([
    [[1], ['0', '1']],
    [
      [0, 3],
      ['0', '1', '2', '3'],
    ],
    [
      [7, 41],
      ['0', '20', '40', '60'],
    ],
  ])('of %j have the ticks %j', (values, ticks) => {
    const columns = values.map((value, index) => columnOf(`${index}`, value));
    expect(ticksOf(barChart({ ...CHART, series: series('TopG'), columns }))).toEqual(ticks);
  });

  test('of nine sites are shown as the five largest and the sum of the others', () => {
    const columns = [columnOf('today', 1, 9, 2, 8, 3, 7, 4, 6, 5)];
    const made = barChart({ ...CHART, series: series(...'abcdefghi'), columns });
    expect(rowsOf(made)).toEqual(['Daybdfhi4 othersIn all', 'today987651045']);
  });

  test('so small that they could not be seen are 1.5% high', () => {
    const columns = [columnOf('a', 10_000), columnOf('b', 1)];
    expect(barsOf(barChart({ ...CHART, series: series('x'), columns }))[1]).toEqual(['tone-busy', 98.5, 1.5]);
  });

  test('are replaced by a sentence if there are none', () => {
    const none = barChart({ ...CHART, series: series('x'), columns: [columnOf('a', 0)] });
    expect(none.toString()).toEqual(naming('No votes in 7 days.'));
    expect(none.toString()).not.toContain('<svg');
  });

  test('are labelled at most seven times, always at the newest, and half as often on a phone', () => {
    const columns = Array.from({ length: 30 }, (_, index) => columnOf(`${index + 1} Nov`, 1));
    const made = barChart({ ...CHART, series: series('x'), columns });
    expect(labelsOf(made)).toEqual(['5 Nov', '10 Nov', '15 Nov', '20 Nov', '25 Nov', '30 Nov']);
    expect(made.toString().match(/ wide"/g)).toHaveLength(3);
  });

  test('offer their numbers as a file only if there is one', () => {
    const wanted = { ...CHART, series: series('x'), columns: [columnOf('a', 1)] };
    expect(barChart(wanted).toString()).not.toContain('download');
    expect(barChart({ ...wanted, csv: '/votes.csv' }).toString()).toContain('href="/votes.csv" download');
  });
});

test('daily bars end with today, in UTC', () => {
  const lastDay = Date.parse('2026-06-03T23:59:59Z');
  const chart = dailyBars({ id: 'd', title: 'Votes', unit: VOTES, values: [0, 1_200, 3], lastDay });
  expect(tipsOf(chart)).toEqual(['1 Jun: 0 votes', '2 Jun: 1,200 votes', '3 Jun: 3 votes']);
  const none = dailyBars({ id: 'd', title: 'Votes', unit: VOTES, values: [0, 0], lastDay });
  expect(none.toString()).toEqual(naming('2 days'));
});

describe('durations', () => {
  const chart = durationChart({
    ...{ id: 'speed', title: 'Speed', per: 'Day', none: 'Nothing was paid.' },
    series: series('Median', '99th percentile'),
    columns: [
      { name: 'a', values: [20, 340] },
      { name: 'b', values: [null, null] },
      { name: 'c', values: [30, 1_500] },
      { name: 'd', values: [40, 200_000] },
    ],
  });

  test('are told in the unit that fits, and are unknown where nothing was measured', () => {
    expect(tipsOf(chart)).toEqual([
      'a: Median 20 ms 99th percentile 340 ms',
      'b: nothing measured',
      'c: Median 30 ms 99th percentile 1.5 s',
      'd: Median 40 ms 99th percentile 3 min 20 s',
    ]);
    expect(rowsOf(chart)[3]).toBe('b––');
  });

  test('are lines with gaps, and dots where a value stands alone', () => {
    const [median = ''] = chart.toString().match(/ d="[^"]*"/) ?? [];
    expect(median).toMatch(/^ d="M0\.5 [\d.]+M2\.5 [\d.]+L3\.5 [\d.]+"$/);
    expect(chart.toString().match(/series-1 alone/g)).toHaveLength(1);
  });

  test.each([
    [
      20,
      80,
      ['10 ms', '100 ms'],
      [
        [10, 0],
        [100, 100],
      ],
    ],
    [
      0.2,
      1_000,
      ['1 ms', '10 ms', '100 ms', '1 s'],
      [
        [0, 0],
        [1, 0],
        [10, 33.33],
        [1_000, 100],
      ],
    ],
    [
      90_000,
      700_000,
      ['1 min', '10 min', '1 h'],
      [
        [60_000, 0],
        [600_000, 50],
        [3_600_000, 100],
      ],
    ],
    [9e9, 9e12, ['100 h', '1000 h'], [[9e12, 100]]],
  ])('from %d to %d ms have their own axis', (least, most, ticks, heights) => {
    const scale = durationScale(least, most);
    expect(scale.ticks).toEqual(ticks);
    for (const [value = 0, height] of heights) expect(scale.heightOf(value)).toBe(height);
  });

  test('are replaced by a sentence if nothing was measured', () => {
    const columns = [{ name: 'a', values: [null] }];
    const none = durationChart({
      id: 's',
      title: 'S',
      per: 'Day',
      none: 'Nothing.',
      series: series('x'),
      columns,
    });
    expect(none.toString()).toEqual(naming('Nothing.'));
  });
});
