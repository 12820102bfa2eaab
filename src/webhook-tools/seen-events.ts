/** So many are remembered; a real receiver keeps them for 90 days [WH-5], and on disk. */
export const EVENTS_REMEMBERED = 4096;

/** Which events have come, the latest few thousand of them. */
export class SeenEvents {
  private readonly ids = new Set<string>();

  /** Remembers it, and says whether it was here before. */
  meet(eventId: string): boolean {
    const again = this.ids.delete(eventId);
    this.ids.add(eventId);
    const [oldest] = this.ids;
    if (this.ids.size > EVENTS_REMEMBERED && oldest !== undefined) this.ids.delete(oldest);
    return again;
  }
}
