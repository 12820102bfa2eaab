import { type Html, html, quoted } from '../html.ts';
import { amount, count, percent, rounded, sum, type Unit } from './number.ts';
import type { Tone } from './tone.ts';

/** Small charts without axes. Each has a sentence for screen readers that says the same. */

interface Sparkline {
  readonly title: string;
  readonly unit: Unit;
  /** Oldest first, one for each hour. */
  readonly values: readonly number[];
}

/** A line of the values of the last hours. */
export function sparkline({ title, unit, values }: Sparkline): Html {
  const most = Math.max(1, ...values);
  const last = Math.max(1, values.length - 1);
  const points = values
    .map((value, hour) => `${rounded(hour)},${rounded(38 - (value / most) * 36)}`)
    .join(' ');
  const total = sum(values);
  const sentence = `${title}: ${amount(total, unit)} in ${values.length} hours. At most ${count(Math.max(0, ...values))} in an hour, ${count(values.at(-1) ?? 0)} in the last hour.`;
  return html`<figure class="chart sparkline">
    <figcaption><strong>${title}</strong><span class="soft">${amount(total, unit)}</span></figcaption>
    <svg role="img" aria-label="${sentence}" viewBox="0 0 ${last} 40" preserveAspectRatio="none">
      <polygon class="area" points="0,38 ${points} ${last},38"/><line class="base" x1="0" x2="${last}" y1="38" y2="38"/>
      <polyline class="line" points="${points}"/>
    </svg>
    <div class="chart-ends" aria-hidden="true"><span>${values.length} h ago</span><span>now</span></div>
  </figure>`;
}

interface Share {
  readonly label: string;
  readonly value: number;
  readonly tone: Tone;
}

/** One bar that shows the parts of a whole, with a legend below that gives the count of each part. */
export function shares(title: string, list: readonly Share[]): Html {
  const total = sum(list.map(({ value }) => value));
  let x = 0;
  const parts = list.map(({ label, value, tone }) => {
    const width = total === 0 ? 0 : (value / total) * 100;
    const rect = html`<rect class="tone-${tone}" x="${percent(x)}" width="${percent(width)}" height="100%"><title>${label}: ${count(value)}</title></rect>`;
    x += width;
    return rect;
  });
  const sentence = `${title}: ${list.map(({ label, value }) => `${label} ${count(value)}`).join(', ')}.`;
  return html`<figure class="chart shares">
    <figcaption><strong>${title}</strong><span class="soft">${total === 0 ? 'None yet' : `${count(total)} in total`}</span></figcaption>
    <svg role="img" aria-label="${sentence}"><rect class="none" width="100%" height="100%"/>${parts}</svg>
    <ul class="legend">${list.map(
      ({ label, value, tone }) =>
        html`<li><span class="swatch tone-${tone}"></span>${quoted(label)} <strong>${count(value)}</strong></li>`,
    )}</ul>
  </figure>`;
}
