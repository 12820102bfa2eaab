import { expect, test } from 'vitest';
import { rconGame } from '../kit/game.ts';
import { type Here, here } from '../kit/here.ts';
import { operator, page, player } from '../kit/page.ts';
import { TOKEN } from '../kit/vote.ts';

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
