import type { RewardReasons } from '../../core/decide.ts';
import type { Fact, Facts, Reason } from '../../core/reason.ts';
import type { Database } from '../../platform/sqlite/open.ts';

/** What reasons have in common: the reward, the code and the names of the facts. */
type Form = readonly [reward: string, code: string, ...facts: string[]];

/** Of the forms of one reward and code. */
interface KnownForm {
  readonly id: number;
  readonly names: readonly string[];
}

/**
 * Why each reward was granted or not. A vote stores one short list for each reward: the ID of its form and its facts,
 * `[[4],[7,24,25,"total"]]`. With thirteen rewards, the same in full takes 600 to 900 bytes for each vote, and an eighth
 * of the CPU of recording it. The caller holds the transaction.
 */
export class StoredReasons {
  private readonly statements;
  /**
   * By reward and code, because a key that is put together for each reason costs more than the rest of storing it. Only
   * what is committed: an ID of this transaction may be rolled back with its call.
   */
  private readonly known = new Map<string, Map<string, KnownForm[]>>();
  private readonly forms = new Map<number, Form>();
  private hasAdded = false;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  /** Call this in each transaction. */
  begin(): void {
    this.hasAdded = false;
  }

  /** null if no reward was looked at. */
  write(reasons: RewardReasons): string | null {
    if (reasons.size === 0) return null;
    let json = '';
    for (const [reward, { code, facts = NO_FACTS }] of reasons) {
      json += `${json === '' ? '[[' : ',['}${this.idOf(reward, code, facts)}`;
      for (const name in facts) json += `,${jsonOf(facts[name])}`;
      json += ']';
    }
    return `${json}]`;
  }

  read(stored: string | null): RewardReasons {
    const written = JSON.parse(stored ?? '[]') as readonly StoredReason[];
    return new Map(written.map((reason) => this.readOne(reason)));
  }

  private readOne([id, ...values]: StoredReason): [reward: string, reason: Reason] {
    const [reward, code, ...names] = this.formOf(id);
    if (names.length === 0) return [reward, { code }];
    return [reward, { code, facts: Object.fromEntries(names.map((name, at) => [name, values[at] ?? null])) }];
  }

  private idOf(reward: string, code: string, facts: Facts): number {
    const known = this.known
      .get(reward)
      ?.get(code)
      ?.find(({ names }) => areNamesOf(facts, names));
    return known?.id ?? this.findOrAdd([reward, code, ...Object.keys(facts)]);
  }

  private findOrAdd(form: Form): number {
    const text = JSON.stringify(form);
    const found = this.statements.find.get(text) as number | undefined;
    if (found === undefined) {
      this.hasAdded = true;
      return Number(this.statements.add.run(text).lastInsertRowid);
    }
    if (!this.hasAdded) this.remember(form, found);
    return found;
  }

  private remember([reward, code, ...names]: Form, id: number): void {
    const codes = this.known.get(reward) ?? new Map<string, KnownForm[]>();
    this.known.set(reward, codes.set(code, [...(codes.get(code) ?? []), { id, names }]));
  }

  /** Forms are added and never changed, so one that was read stays right; IDs of a call that was rolled back are never read. */
  private formOf(id: number): Form {
    const known = this.forms.get(id);
    if (known !== undefined) return known;
    const form = JSON.parse(this.statements.form.get(id) as string) as Form;
    this.forms.set(id, form);
    return form;
  }
}

type StoredReason = readonly [form: number, ...facts: Fact[]];

const NO_FACTS: Facts = {};

/** Whether the facts have these names, in this order. */
function areNamesOf(facts: Facts, names: readonly string[]): boolean {
  let at = 0;
  for (const name in facts) if (names[at++] !== name) return false;
  return at === names.length;
}

/** Most facts are counts, which need no function to be written. */
const jsonOf = (fact: Fact | undefined): string =>
  Number.isInteger(fact) ? `${fact}` : JSON.stringify(fact);

const prepareStatements = (db: Database) => ({
  find: db.prepare('SELECT id FROM reason_forms WHERE form = ?').pluck(),
  add: db.prepare('INSERT INTO reason_forms (form) VALUES (?)'),
  form: db.prepare('SELECT form FROM reason_forms WHERE id = ?').pluck(),
});
