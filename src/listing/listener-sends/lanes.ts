type Work = () => Promise<void>;

interface Lane {
  readonly waiting: Work[];
  underWay: number;
}

/** Sendings at once to one listing's listener, so that one that is down takes no room from others; and in all. */
const PER_LISTING_MAX = 8;
const IN_ALL_MAX = 64;

/** Work by listing, each listing's in the order in which it came, as far as there is room. */
export class Lanes {
  private readonly lanes = new Map<string, Lane>();
  private underWay = 0;
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
    while (this.underWay < IN_ALL_MAX) {
      const next = this.next();
      if (next === null) return;
      void this.play(...next);
    }
  }

  /** From the lane with the fewest under way, so that slow ones with long queues keep nobody waiting. */
  private next(): [Lane, Work] | null {
    let least: Lane | null = null;
    for (const [listingId, lane] of this.lanes) {
      if (lane.waiting.length === 0) {
        if (lane.underWay === 0) this.lanes.delete(listingId);
      } else if (lane.underWay < (least?.underWay ?? PER_LISTING_MAX)) least = lane;
    }
    const work = least?.waiting.shift();
    return least === null || work === undefined ? null : [least, work];
  }

  private async play(lane: Lane, work: Work): Promise<void> {
    lane.underWay++;
    this.underWay++;
    await work();
    lane.underWay--;
    this.underWay--;
    if (this.underWay === 0) this.onIdle();
    this.fill();
  }
}
