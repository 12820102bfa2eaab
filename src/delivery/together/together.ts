import { Repeating } from '../../core/repeating.ts';
import { Parties, type PartiesParts, type PartySettings } from './parties.ts';
import { Publishing, type PublishingParts, type PublishSettings } from './publishing.ts';
import { Reminding, type RemindingParts, type RemindSettings } from './reminding.ts';
import { type TopSettings, Tops, type TopsParts } from './tops.ts';

/** What the config says about what players earn together. */
export interface TogetherSettings extends PartySettings, TopSettings, PublishSettings, RemindSettings {}

export interface TogetherParts extends PartiesParts, TopsParts {
  readonly ledger: PartiesParts['ledger'] &
    TopsParts['ledger'] &
    PublishingParts['ledger'] &
    RemindingParts['ledger'];
}

/** How often the ledger is asked for parties that were reached, which another process may have recorded. */
const LOOK_MS = 1_000;
/** How often it is looked whether a period is over. */
const PERIOD_LOOK_MS = 10_000;
/** How often it is looked who has joined. */
const JOIN_LOOK_MS = 10_000;

/** What players earn together. It pays and tells only after `start`, in the one process that delivers (rule 6). */
export class Together {
  private readonly tasks: readonly Repeating[];
  private readonly parties: Parties;

  constructor(
    parts: TogetherParts,
    private settings: TogetherSettings,
  ) {
    const parties = new Parties(parts);
    this.parties = parties;
    const tops = new Tops(parts);
    const publishing = new Publishing(parts);
    const reminding = new Reminding(parts);
    this.tasks = [
      new Repeating(parts, LOOK_MS, () => parties.pay(this.settings)),
      new Repeating(parts, LOOK_MS, () => parties.announce(this.settings)),
      new Repeating(parts, PERIOD_LOOK_MS, () => tops.settle(this.settings)),
      new Repeating(parts, LOOK_MS, () => publishing.send(this.settings)),
      new Repeating(parts, JOIN_LOOK_MS, () => reminding.look(this.settings)),
    ];
  }

  /** The settings of another config, from now on. */
  apply(settings: TogetherSettings): void {
    this.settings = settings;
  }

  /** Call this when this process has become the one that delivers. */
  start(): void {
    for (const task of this.tasks) task.start();
  }

  /** Call this when wall time was moved: what is due now is not left to the next look. */
  lookNow(): void {
    this.parties.readNow();
    for (const task of this.tasks) task.now();
  }

  async close(): Promise<void> {
    await Promise.all(this.tasks.map((task) => task.close()));
  }
}
