import { freeTextFrom } from '../../../core/template.ts';

/** What the runs of one kind of command add up to. */
export interface Sum {
  /** The command without its amount and with `{player}` for the player. */
  readonly command: string;
  readonly runs: number;
  /** The sum of the amounts; null if the command gives no amount. */
  readonly amount: number | null;
}

const GIVES = /^(?:[a-z0-9_.-]+:)?(?:give|add)[a-z]*$/i;
const AMOUNT = /^\d+(?:\.\d+)?$/;

/** A command without what differs from run to run. */
interface Kind {
  readonly command: string;
  readonly amount: number | null;
}

/** The last number of a command that gives or adds something is an amount; `give` without one gives one. */
export function kindOfCommand(written: string, player: string | null): Kind {
  const command = player === null ? written : written.replaceAll(player, '{player}');
  const freeFrom = freeTextFrom(command);
  if (Number.isFinite(freeFrom)) {
    return {
      command: `${command.slice(0, freeFrom)}${withoutNumbers(command.slice(freeFrom))}`,
      amount: null,
    };
  }
  const words = command.split(' ');
  // The numbers of an effect are its seconds and its strength.
  const gives = words.some((word) => GIVES.test(word)) && !words.includes('effect');
  const at = gives ? words.findLastIndex((word) => AMOUNT.test(word)) : -1;
  if (at !== -1) return { command: withoutAmount(words, at), amount: Number(words[at]) };
  return { command, amount: gives && /^(?:minecraft:)?give$/.test(words[0] ?? '') ? 1 : null };
}

const withoutAmount = (words: readonly string[], at: number): string =>
  (at === words.length - 1 ? words.slice(0, at) : words.with(at, '…')).join(' ');

const withoutNumbers = (text: string): string => text.replaceAll(/\b\d+(?:\.\d+)?\b/g, '…');

/** Adds up commands. */
export class Sums {
  private readonly byCommand = new Map<string, Sum>();

  /** @param player null: it names none. */
  add(written: string, player: string | null): void {
    const { command, amount } = kindOfCommand(written, player);
    const known = this.byCommand.get(command) ?? { command, runs: 0, amount: amount === null ? null : 0 };
    const sum = amount === null || known.amount === null ? known.amount : known.amount + amount;
    this.byCommand.set(command, { command, runs: known.runs + 1, amount: sum });
  }

  /** Amounts first, then commands by how often they run. */
  all(): readonly Sum[] {
    return [...this.byCommand.values()].sort(
      (a, b) => Number(a.amount === null) - Number(b.amount === null) || b.runs - a.runs,
    );
  }
}
