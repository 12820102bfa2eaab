import { expect, test } from 'vitest';
import { rconGame } from '../kit/game.ts';
import { type Here, here } from '../kit/here.ts';
import { listing } from '../kit/listing.ts';
import { operator, page, player, visitor } from '../kit/page.ts';
import { TOKEN } from '../kit/vote.ts';

/** A combination that the components use. */
type Pair = readonly [front: string, ground: string];

/** WCAG 1.4.3, level AA: text has a contrast of at least 4.5 to 1 with its background. */
const TEXT_CONTRAST = 4.5;
const textPairs: readonly Pair[] = [
  ...(['canvas', 'surface', 'sunken'] as const).flatMap((ground): Pair[] => [
    ['ink', ground],
    ['ink-soft', ground],
    ['accent', ground],
    ['bad', ground],
  ]),
  ['good', 'surface'],
  ['warn', 'surface'],
  ['accent', 'accent-wash'],
  ['accent-strong', 'surface'],
  ['on-accent', 'accent'],
  ['on-accent', 'accent-strong'],
  ['on-bad', 'bad'],
  ['on-bad', 'bad-strong'],
  ...(['accent', 'good', 'warn', 'bad'] as const).flatMap((tone): Pair[] => [
    [tone, `${tone}-wash`],
    ['ink', `${tone}-wash`],
  ]),
];

/** WCAG 1.4.11: controls, focus marks and charts have a contrast of at least 3 to 1. */
const SHAPE_CONTRAST = 3;
const SHAPES = [
  ...['edge', 'accent', 'good-mark', 'warn-mark', 'bad-mark'],
  ...['series-1', 'series-2', 'series-3', 'series-4', 'series-5', 'series-6'],
];
const shapePairs: readonly Pair[] = (['canvas', 'surface', 'sunken'] as const).flatMap((ground) =>
  SHAPES.map((shape): Pair => [shape, ground]),
);

/** WCAG 2.2, relative luminance. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

test('the contrast formula gives known values', () => {
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5);
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
});

type Palette = Readonly<Record<string, string>>;

/** The stylesheet of a page, with the colours that its rules may use. */
async function styleOf(get: (path: string) => Promise<string>) {
  const [, path = ''] = /href="(\/assets\/[^"]+\.css)"/.exec(await get('/sign-in')) ?? [];
  const css = await get(path);
  const [light, rest = ''] = css.split(/@media \(prefers-color-scheme: ?dark\)/);
  const tokensIn = (text: string): Palette =>
    Object.fromEntries(
      [...text.matchAll(/--([\w-]+): ?(#[0-9a-f]{6})/g)].map(([, name, value]) => [name, value]),
    );
  const dark = /\{[^{]*\{([^}]*)\}/.exec(rest)?.[1] ?? '';
  return { css, light: tokensIn(light ?? ''), dark: { ...tokensIn(light ?? ''), ...tokensIn(dark) } };
}

const SITES = {
  'the console': async () => {
    const reader = await visitor(await here());
    return styleOf(async (path) => (await reader.get(path)).html);
  },
  'the listing service': async () => {
    const { port } = await listing();
    return styleOf(async (path) => (await fetch(`http://127.0.0.1:${port}${path}`)).text());
  },
};

test.each(Object.entries(SITES))(
  'in %s, text and shapes contrast enough in both schemes, and all colours come from the tokens',
  async (_, styled) => {
    const { css, ...schemes } = await styled();
    for (const [scheme, palette] of Object.entries(schemes)) {
      const tooWeak = (pairs: readonly Pair[], least: number): readonly Pair[] =>
        pairs.filter(([front, ground]) => !(contrast(palette[front] ?? '', palette[ground] ?? '') >= least));
      expect([scheme, tooWeak(textPairs, TEXT_CONTRAST)]).toEqual([scheme, []]);
      expect([scheme, tooWeak(shapePairs, SHAPE_CONTRAST)]).toEqual([scheme, []]);
    }
    const rules = css.replaceAll(/:root ?\{[^}]*\}/g, '');
    expect(rules).not.toMatch(/#[0-9a-f]{3,8}\b|rgba?\(|hsla?\(/i);
    const used = new Set([...rules.matchAll(/var\(--([\w-]+)\)/g)].map(([, name]) => name));
    const defined = new Set([...css.matchAll(/--([\w-]+):/g)].map(([, name]) => name));
    expect(used.size).toBeGreaterThan(20);
    expect([...used].filter((name) => !defined.has(name))).toEqual([]);
  },
);

/** Texts that want to be more than text, in two that are short enough for the name of a service. */
const HOSTILE = [
  `<script>alert(1)</script> " autofocus onfocus="alert(1) ' onfocus='alert(2)`,
  `</textarea></title></pre></script><img src=x onerror=alert(1)> &lt;b&gt;&quot;&#39; <!-- --!> <![CDATA[`,
];

/** The tags with the names of their attributes, which no text may change. */
const skeleton = (html: string): string =>
  (html.match(/<[^>]*>/g) ?? []).map((tag) => tag.replaceAll(/"[^"]*"/g, '""')).join('\n');

/** A Teller that gets this text from its operator, from a listing, from a game server and from whoever asks for a page. */
async function told(text: string): Promise<Here> {
  const game = await rconGame({ refusedReplies: ['^Refused'] }, (command) =>
    command.startsWith('say') ? `Refused: ${text}` : undefined,
  );
  const teller = await here({
    console: { port: 0, public: { port: 0, name: text.slice(0, 60) } },
    sites: { default: { token: TOKEN }, [text]: { label: text.replaceAll(/["{}&]/g, '').slice(0, 60) } },
    gameServers: { main: game.entry },
    rewards: [{ name: 'broken', when: 'always', commands: [`say ${text.replaceAll('&', '')}`] }],
  });
  await teller.vote({ player: 'Steve', site: text });
  await teller.vote({ player: 'Alex', site: `${text} unlisted` });
  await teller.vote({ player: text, site: text });
  await teller.untilGrants('refused', 'refused');
  return teller;
}

const paths = (text: string): readonly string[] => {
  const typed = encodeURIComponent(text);
  return [
    ...['/', '/votes', '/votes/1', '/players/Steve', '/grants', '/grants/1', '/figures', '/rewards', '/keys'],
    ...[`/votes?player=${typed}&site=${typed}`, `/players?name=${typed}`, `/players/${typed}`],
    ...[`/grants?player=${typed}&server=${typed}&reason=${typed}`, `/now/site?service=${typed}`],
    `/grants/change?action=redirect&player=${typed}&grant=1.1`,
  ];
};

/** The pages about this text, with the fields of a form that is refused because of it. */
async function pagesAbout(text: string): Promise<Readonly<Record<string, string>>> {
  const teller = await told(text);
  const reader = await operator(teller);
  const name = (path: string): string => path.replaceAll(encodeURIComponent(text), 'TEXT');
  const pages: Record<string, string> = {};
  for (const path of paths(text)) pages[name(path)] = (await page(teller, path)).html;
  pages.test = (await reader.post('/test/votes', { player: text, service: text, version: text })).html;
  pages.server = (await reader.post('/now/game-server', { name: text, host: text, port: text })).html;
  pages.public = (await player(teller).open('/')).html;
  pages.asked = (await player(teller).open(`/?name=${encodeURIComponent(text)}`)).html;
  return pages;
}

test.each(HOSTILE)(
  'WF-06: on every page, a text that wants to be markup changes no tag and no attribute: %s',
  async (text) => {
    const harmless = await pagesAbout('a harmless text! '.padEnd(text.length, 'x'));
    const hostile = await pagesAbout(text);
    for (const [path, html] of Object.entries(hostile))
      expect([path, skeleton(html)]).toEqual([path, skeleton(harmless[path] ?? '')]);
  },
);
