import type { IncomingHttpHeaders } from 'node:http';
import { readJsonBytes } from '../../core/json.ts';
import { type SignatureState, signatureState } from './received.ts';

/** How a command ended, as an answer says. */
export const COMMAND_OUTCOMES = ['delivered', 'refused', 'player-offline'] as const;

export type CommandOutcome = (typeof COMMAND_OUTCOMES)[number];

/** What is posted with a command. Its texts are untrusted, even with a valid signature. */
export interface CommandFacts {
  /** Different for each request. */
  readonly id: string;
  readonly command: string;
  readonly server: string;
  /** null: the operator tries a command, which has none of what follows. */
  readonly commandId: string | null;
  readonly grant: number | null;
  readonly reward: string | null;
  readonly occasion: string | null;
  readonly vote: number | null;
  readonly site: string | null;
  readonly player: string | null;
  readonly uuid: string | null;
  readonly attempt: number | null;
}

/** What a request of a Teller contains. */
export type AskedOfSink =
  | { readonly kind: 'command'; readonly facts: CommandFacts; readonly signature: SignatureState }
  | {
      readonly kind: 'players';
      readonly id: string;
      readonly server: string;
      readonly signature: SignatureState;
    }
  | {
      readonly kind: 'no-command';
      readonly reason: 'not-json' | 'not-a-command';
      readonly signature: SignatureState;
    };

export function readAsked(
  body: Uint8Array,
  headers: IncomingHttpHeaders,
  secret: string | null,
): AskedOfSink {
  const signature = signatureState(headers, body, secret);
  const json = readJsonBytes(body);
  if (json === undefined) return { kind: 'no-command', reason: 'not-json', signature };
  const fields = (typeof json === 'object' && json !== null ? json : {}) as Fields;
  const { id, server, command, ask } = fields;
  if (typeof id !== 'string' || id === '' || typeof server !== 'string')
    return { kind: 'no-command', reason: 'not-a-command', signature };
  if (ask === 'players') return { kind: 'players', id, server, signature };
  if (typeof command !== 'string') return { kind: 'no-command', reason: 'not-a-command', signature };
  return { kind: 'command', facts: { id, command, server, ...factsIn(fields) }, signature };
}

type Fields = Readonly<Record<string, unknown>>;

const factsIn = (fields: Fields): Omit<CommandFacts, 'id' | 'command' | 'server'> => ({
  commandId: textIn(fields.commandId),
  grant: numberIn(fields.grant),
  reward: textIn(fields.reward),
  occasion: textIn(fields.occasion),
  vote: numberIn(fields.vote),
  site: textIn(fields.site),
  player: textIn(fields.player),
  uuid: textIn(fields.uuid),
  attempt: numberIn(fields.attempt),
});

const textIn = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

const numberIn = (value: unknown): number | null => (typeof value === 'number' ? value : null);
