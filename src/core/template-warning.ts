import { PUBLISHED } from './figure-template.ts';
import { nearestWord } from './nearest-word.ts';
import { filledIn, PLACEHOLDERS, type Words } from './placeholders.ts';

/** Something in a template that is allowed but probably a mistake. The game server gets it as written. */
export interface TemplateWarning {
  readonly code: 'placeholder-unknown' | 'colour-code';
  readonly written: string;
  readonly sentence: string;
  readonly toDo: string;
}

/** @param words what is filled in there. */
const templateWarnings = (template: string, words: Words): readonly TemplateWarning[] => [
  ...unknownPlaceholders(template, words),
  ...literalColours(template),
];

/** Of several templates, each once. */
export const warningsIn = (templates: readonly string[], words: Words): readonly TemplateWarning[] => [
  ...new Map(
    templates.flatMap((template) => templateWarnings(template, words)).map((each) => [each.written, each]),
  ).values(),
];

/** A single word between marks. In JSON and SNBT a brace is followed by quotes, colons or brackets. */
const LONE_WORD = /\{([A-Za-z][\w.-]*)\}|%([A-Za-z][\w.-]*)%/g;

/** A range that `{random 1..6}` could have been meant to be. */
const RANDOM = /\{random\b[^{}]*\}/gi;

/** Words that are nearly a placeholder of a vote are config faults (`template-fault.ts`) and never get here. */
function unknownPlaceholders(template: string, known: Words): TemplateWarning[] {
  const words = [...template.matchAll(LONE_WORD)].flatMap(([written, braced, percent]) => {
    const word = braced ?? percent ?? '';
    return known.includes(word) || word.toLowerCase() === 'random' ? [] : [[written, word] as const];
  });
  const ranges = [...template.matchAll(RANDOM)].filter(([written]) => filledIn(written).length === 0);
  const found = [
    ...words.map(([written, word]) =>
      SOMEWHERE.includes(word) ? notHere(written) : unknown(written, toDoFor(word, known)),
    ),
    ...ranges.map(([written]) =>
      unknown(written, 'write a range such as {random 100..300}, the smaller number first'),
    ),
  ];
  return [...new Map(found.map((each) => [each.written, each])).values()];
}

/** What the commands of some list can show. */
const SOMEWHERE: readonly string[] = [...PLACEHOLDERS, ...PUBLISHED];

const notHere = (written: string): TemplateWarning => ({
  code: 'placeholder-unknown',
  written,
  sentence: `${written} is not filled in here and is sent as written`,
  toDo: 'take it out, or leave it if a plugin on the game server fills it in',
});

const unknown = (written: string, toDo: string): TemplateWarning => ({
  code: 'placeholder-unknown',
  written,
  sentence: `${written} is not one of Teller's placeholders and is sent as written`,
  toDo,
});

function toDoFor(word: string, known: Words): string {
  const names = known.filter((name) => name !== 'random');
  const meant = nearestWord(word, names);
  return meant === null
    ? `use ${names.map((name) => `{${name}}`).join(', ')}, or leave it if a plugin on the game server fills it in`
    : `write {${meant}} if you mean that, or leave it if a plugin on the game server fills it in`;
}

/** Does not match inside a word, or between the parameters of a URL. */
const AMPERSAND_CODE = /(?<!\w)&(?:#[0-9a-f]{6}|[0-9a-fk-or])/i;

/**
 * Minecraft's own commands that show text and that no common plugin replaces. Commands such as `broadcast` come from a
 * plugin, which turns `&6` into a colour; so does EssentialsX with `msg`, `me`, `kick` and `ban`.
 */
const SHOWN_AS_WRITTEN = ['say', 'tellraw', 'title', 'teammsg', 'tm', 'bossbar', 'team', 'scoreboard'];

function literalColours(template: string): TemplateWarning[] {
  const [written] = AMPERSAND_CODE.exec(template) ?? [];
  const name = commandName(template);
  const isVanilla = name.startsWith('minecraft:') || SHOWN_AS_WRITTEN.includes(name);
  if (written === undefined || !isVanilla) return [];
  return [
    {
      code: 'colour-code',
      written,
      sentence: `Minecraft's own ${name.replace('minecraft:', '')} shows ${written} as text, not as a colour`,
      toDo: `write § instead of &, or use tellraw with "color" in its JSON`,
    },
  ];
}

/** The innermost command: `execute … run` and `return run` contain another command. */
function commandName(template: string): string {
  const carried = /^(?:execute|return)\s(?:.*\s)?run\s+(.*)$/s.exec(template)?.[1] ?? template;
  return /^\S*/.exec(carried)?.[0] ?? '';
}
