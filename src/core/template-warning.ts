import { PLACEHOLDERS } from './template.ts';

/** What in a template is allowed and probably not meant: it reaches the game server as it is written. */
export interface TemplateWarning {
  readonly code: 'placeholder-unknown' | 'colour-code';
  readonly written: string;
  readonly sentence: string;
  readonly toDo: string;
}

export const templateWarnings = (template: string): readonly TemplateWarning[] => [
  ...unknownPlaceholders(template),
  ...literalColours(template),
];

/** Only a lone word in marks. JSON and SNBT have quotes, colons or brackets behind a brace. */
const LONE_WORD = /\{([A-Za-z][\w.-]*)\}|%([A-Za-z][\w.-]*)%/g;

/** Those that are nearly one of ours are faults of the config (`template-fault.ts`), and never come here. */
function unknownPlaceholders(template: string): TemplateWarning[] {
  const known: readonly string[] = PLACEHOLDERS;
  const unknown = [...template.matchAll(LONE_WORD)].flatMap(([written, braced, percent]) =>
    known.includes(braced ?? percent ?? '') ? [] : [written],
  );
  const toDo = `use ${known.map((name) => `{${name}}`).join(', ')}, or leave it where a plugin there fills it in`;
  return [...new Set(unknown)].map((written) => ({
    code: 'placeholder-unknown',
    written,
    sentence: `${written} is none of Teller's placeholders and is sent as it is written`,
    toDo,
  }));
}

/** Not within a word or behind another parameter of an address. */
const AMPERSAND_CODE = /(?<!\w)&(?:#[0-9a-f]{6}|[0-9a-fk-or])/i;

/**
 * Minecraft's own commands that show text and that no common plugin replaces. `broadcast` and its like are a plugin's,
 * which turns `&6` into a colour; so does EssentialsX with `msg`, `me`, `kick` and `ban`.
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
      sentence: `Minecraft's own ${name.replace('minecraft:', '')} shows ${written} as it is written, not as a colour`,
      toDo: `write § in place of &, or use tellraw with "color" in its JSON`,
    },
  ];
}

/** The command that runs in the end: `execute … run` and `return run` carry another one. */
function commandName(template: string): string {
  const carried = /^(?:execute|return)\s(?:.*\s)?run\s+(.*)$/s.exec(template)?.[1] ?? template;
  return /^\S*/.exec(carried)?.[0] ?? '';
}
