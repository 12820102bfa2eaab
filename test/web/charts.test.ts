import { describe, expect, test } from 'vitest';
import { barChart, dailyBars } from '../../src/web/kit.ts';
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
