import * as z from 'zod';
import type { AnnouncementRules } from '../core/announcement.ts';
import { duration, section, wholeNumber } from '../core/config-values.ts';
import { messageJson, messagePlain } from '../core/message-text.ts';
import { templateFaults } from '../core/template-fault.ts';
import { templateSentence } from './schema-commands.ts';

/** The commands that show a message to the player of a grant, or to everyone. */
const MESSAGE_COMMANDS = {
  message: (text: string): string => `tellraw {player} ${messageJson(text)}`,
  title: (text: string): string => `title {player} title ${messageJson(text)}`,
  broadcast: (text: string): string => `tellraw @a ${messageJson(text)}`,
  /** At the player, because the console is somewhere else: a sound is only heard nearby. */
  sound: (name: string): string => `execute at {player} run playsound ${name} master {player}`,
} as const;

export type MessageKey = keyof typeof MESSAGE_COMMANDS;

/** What a command of `MESSAGE_COMMANDS` does, in everyday words. */
export function messageWords(command: string): string {
  const [, word, rest = ''] =
    /^(tellraw @a|tellraw|title|execute at) ?(?:\{player\})? ?(.*)$/s.exec(command) ?? [];
  switch (word) {
    case 'tellraw @a':
      return `everyone on the game server sees in chat: ${messagePlain(rest)}`;
    case 'tellraw':
      return `the player sees in chat: ${messagePlain(rest)}`;
    case 'title':
      return `the player sees in the middle of their screen: ${messagePlain(rest.replace(/^title /, ''))}`;
    default:
      return `the player hears ${rest.split(' ')[2]}`;
  }
}

/** A text with `&` codes. The command that it becomes is checked like any other. */
const textOf = (key: Exclude<MessageKey, 'sound'>) =>
  z
    .string()
    .min(1, { error: 'must not be empty' })
    .refine((written) => !/[^\P{Cc}\n]|[\u2028\u2029]/u.test(written), {
      error: 'must not have control characters except line breaks',
    })
    .superRefine((written, context) => {
      for (const fault of templateFaults(MESSAGE_COMMANDS[key](written))) {
        const params = { code: 'config-template' };
        context.addIssue({ code: 'custom', message: templateSentence(fault), params });
      }
    })
    .meta({ title: 'text' });

const SOUND_SENTENCE = 'must be the name of a sound, such as "minecraft:entity.player.levelup"';

export const messageShape = {
  message: textOf('message')
    .optional()
    .describe(
      'Text that the player sees in chat after the commands were run. `&a` … `&f`, `&0` … `&9` are colours, `&l`, `&o`, `&n`, `&m`, `&k` formats, `&r` resets, `&#ff8800` is any colour (with `gameServers.<name>.version`), `&&` is `&`. Not sent with `otherwise`.',
    ),
  broadcast: textOf('broadcast')
    .optional()
    .describe(
      'Text like that of `message`, for everyone on the game server. It is an announcement: it is sent within two minutes or not at all, and only for players who were seen on a game server, unless that game server cannot report who is online.',
    ),
  title: textOf('title')
    .optional()
    .describe('Text like that of `message`, in the middle of the player’s screen.'),
  sound: z
    .string({ error: SOUND_SENTENCE })
    .regex(/^([a-z0-9_.-]+:)?[a-z0-9_./-]+$/, { error: SOUND_SENTENCE })
    .max(128, { error: SOUND_SENTENCE })
    .meta({ title: 'name of a sound' })
    .optional()
    .describe('Sound that the player hears after the commands were run; needs `gameServers.<name>.version`.'),
};

const ORDER = ['message', 'title', 'sound', 'broadcast'] as const satisfies readonly MessageKey[];

/** The messages of a reward as commands, in the order in which they are sent. */
export const messagesOf = (
  written: { readonly [Key in MessageKey]?: string | undefined },
): readonly string[] =>
  ORDER.flatMap((key) => {
    const text = written[key];
    return text === undefined ? [] : [MESSAGE_COMMANDS[key](text)];
  });

export const announcementShape = {
  announce: z
    .boolean()
    .default(false)
    .describe(
      'true: everything that this reward sends is an announcement, as `broadcast` always is. Nothing is inferred from commands.',
    ),
  atMost: section({
    count: wholeNumber(1, 1_000).describe('How many announcements of the reward a game server gets.'),
    within: duration('1s', '24h').describe('In any span of this length.'),
  })
    .optional()
    .describe(
      'How often the reward is announced at most; further announcements are not sent. The count begins anew with each start of Teller.',
    ),
};

type WrittenAnnouncement = z.output<z.ZodObject<typeof announcementShape>> & {
  readonly broadcast?: string | undefined;
};

/** null: nothing that the reward sends is an announcement. */
export const announcementOf = (written: WrittenAnnouncement): AnnouncementRules | null =>
  written.announce || written.broadcast !== undefined
    ? {
        isWhole: written.announce,
        atMost:
          written.atMost === undefined
            ? null
            : { count: written.atMost.count, withinMs: written.atMost.within },
      }
    : null;
