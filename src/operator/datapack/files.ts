import type { Layout } from './layout.ts';

/** A site whose page a player can open. */
export interface VoteLink {
  readonly name: string;
  /** http or https. */
  readonly url: string;
}

/** By which a pack that Teller wrote is known again. */
export const DESCRIPTION = 'Teller: vote links and figures';

/** What players type: `/trigger vote`. */
const TRIGGER = 'vote';
const TITLE = 'Vote for this server';

/** The figures that `publish` keeps, with the placeholder of each. */
export const FIGURES = [
  { objective: 'teller.votes', placeholder: '{votes}', says: 'Votes in all: ' },
  { objective: 'teller.month', placeholder: '{votesMonth}', says: 'Votes this month: ' },
  { objective: 'teller.rank', placeholder: '{rank}', says: 'Place this month: ' },
] as const;

/** The entry of `publish` that keeps the figures on the game server. */
export const PUBLISH = {
  name: 'datapack',
  commands: FIGURES.map(
    ({ objective, placeholder }) => `scoreboard players set {player} ${objective} ${placeholder}`,
  ),
};

/** The files of the pack by their paths in it, with `/` between folders. */
export function datapackFiles(layout: Layout, links: readonly VoteLink[]): ReadonlyMap<string, string> {
  const { functions, hasDialogs } = layout;
  const own = (name: string): string => `data/teller/${functions}/${name}.mcfunction`;
  const tag = (name: string): string => `data/minecraft/tags/${functions}/${name}.json`;
  return new Map([
    ['pack.mcmeta', json({ pack: packOf(layout) })],
    [tag('load'), json({ values: ['teller:load'] })],
    [tag('tick'), json({ values: ['teller:tick'] })],
    [own('load'), lines(LOAD)],
    [own('each_second'), lines(EACH_SECOND)],
    [own('tick'), lines([`execute as @a[scores={${TRIGGER}=1..}] run function teller:vote`])],
    [own('vote'), lines(voteLines(layout, links))],
    [own('uninstall'), lines(UNINSTALL)],
    ...(hasDialogs ? ([['data/teller/dialog/vote.json', json(dialogOf(links))]] as const) : []),
  ]);
}

function packOf({ format, hasRange }: Layout) {
  return hasRange
    ? { description: DESCRIPTION, min_format: format, max_format: format }
    : { description: DESCRIPTION, pack_format: format };
}

const LOAD = [
  `scoreboard objectives add ${TRIGGER} trigger`,
  ...FIGURES.map(({ objective }) => `scoreboard objectives add ${objective} dummy`),
  'schedule function teller:each_second 1s',
];

/** A trigger has to be enabled for each player after each use, and for those who join. */
const EACH_SECOND = [`scoreboard players enable @a ${TRIGGER}`, 'schedule function teller:each_second 1s'];

const UNINSTALL = [
  'schedule clear teller:each_second',
  ...[TRIGGER, ...FIGURES.map(({ objective }) => objective)].map(
    (objective) => `scoreboard objectives remove ${objective}`,
  ),
];

const voteLines = (layout: Layout, links: readonly VoteLink[]): readonly string[] => [
  `scoreboard players set @s ${TRIGGER} 0`,
  `scoreboard players enable @s ${TRIGGER}`,
  `tellraw @s ${component({ text: TITLE, bold: true })}`,
  ...links.map((link) => `tellraw @s ${component(linkText(layout, link))}`),
  ...FIGURES.map(
    ({ objective, says }) =>
      `execute if score @s ${objective} matches 0.. run tellraw @s ${component([
        { text: says, color: 'gray' },
        { score: { name: '@s', objective }, color: 'white' },
      ])}`,
  ),
  ...(layout.hasDialogs ? ['dialog show @s teller:vote'] : []),
];

const linkText = ({ click }: Layout, { name, url }: VoteLink) => ({
  text: name,
  color: 'aqua',
  underlined: true,
  [click]: { action: 'open_url', [click === 'click_event' ? 'url' : 'value']: url },
});

/** A dialog cannot show scores, so it has the links alone. */
const dialogOf = (links: readonly VoteLink[]) => ({
  type: 'minecraft:multi_action',
  title: TITLE,
  body: [{ type: 'minecraft:plain_message', contents: 'Each button opens a page where you can vote.' }],
  columns: 1,
  actions: links.map(({ name, url }) => ({
    label: { text: name },
    width: 200,
    action: { type: 'minecraft:open_url', url },
  })),
  exit_action: { label: 'Close' },
});

/** In a command. JSON is also what versions since 1.21.5 read there, and has no line break. */
const component = (value: unknown): string => JSON.stringify(value);

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

const lines = (commands: readonly string[]): string => `${commands.join('\n')}\n`;
