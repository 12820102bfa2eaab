type Work = () => Promise<void>;

interface Lane {
  readonly waiting: Work[];
  underWay: number;
}

/** Sendings at once to one listing's listener. */
const PER_LISTING_MAX = 8;
/** Each listing has one slot that no other can use, so that listeners that hang hold up no other; the rest is shared. */
const OWN_SLOTS_MAX = 192;
const SHARED_SLOTS_MAX = 64;

/** Work by listing, each listing's in the order in which it came, as far as there are slots. */
export class Lanes {
  private readonly lanes = new Map<string, Lane>();
  private underWay = 0;
  private ownTaken = 0;
  private onIdle: () => void = () => {};

  push(listingId: string, work: Work): void {
    const lane = this.lanes.get(listingId) ?? { waiting: [], underWay: 0 };
    this.lanes.set(listingId, lane);
    lane.waiting.push(work);
    this.fill();
  }

  /** Begins nothing more; resolves when what is under way has ended. */
  async drain(): Promise<void> {
    for (const lane of this.lanes.values()) lane.waiting.length = 0;
    if (this.underWay === 0) return;
    await new Promise<void>((resolve) => {
      this.onIdle = resolve;
    });
  }

  private fill(): void {
    for (let next = this.next(); next !== null; next = this.next()) void this.play(...next);
  }

  private hasSlotFor({ underWay }: Lane): boolean {
    if (underWay === 0) return this.ownTaken < OWN_SLOTS_MAX;
    return this.underWay - this.ownTaken < SHARED_SLOTS_MAX;
  }

  /** From the lane with the fewest in progress, so that no listener waits for slow ones with long queues. */
  private next(): [Lane, Work] | null {
    let least: Lane | null = null;
    for (const [listingId, lane] of this.lanes) {
      if (lane.waiting.length === 0) {
        if (lane.underWay === 0) this.lanes.delete(listingId);
      } else if (this.hasSlotFor(lane) && lane.underWay < (least?.underWay ?? PER_LISTING_MAX)) least = lane;
    }
    const work = least?.waiting.shift();
    return least === null || work === undefined ? null : [least, work];
  }

  private async play(lane: Lane, work: Work): Promise<void> {
    if (lane.underWay === 0) this.ownTaken++;
    lane.underWay++;
    this.underWay++;
    await work();
    lane.underWay--;
    this.underWay--;
    if (lane.underWay === 0) this.ownTaken--;
    if (this.underWay === 0) this.onIdle();
    this.fill();
  }
}
