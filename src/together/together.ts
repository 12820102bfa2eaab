import { Parties, type PartiesParts, type PartySettings } from './parties.ts';
import { Repeating } from './repeating.ts';

/** How often the ledger is asked for parties that were reached, which another process may have recorded. */
const LOOK_MS = 1_000;

/** What players earn together. It pays and tells only after `start`, in the one process that delivers (rule 6). */
export class Together {
  private readonly tasks: readonly Repeating[];

  constructor(
    parts: PartiesParts,
    private settings: PartySettings,
  ) {
    const parties = new Parties(parts);
    this.tasks = [
      new Repeating(parts, LOOK_MS, () => parties.pay(this.settings)),
      new Repeating(parts, LOOK_MS, () => parties.announce(this.settings)),
    ];
  }

  /** The settings of another config, from now on. */
  apply(settings: PartySettings): void {
    this.settings = settings;
  }

  /** Call this when this process has become the one that delivers. */
  start(): void {
    for (const task of this.tasks) task.start();
  }

  async close(): Promise<void> {
    await Promise.all(this.tasks.map((task) => task.close()));
  }
}
