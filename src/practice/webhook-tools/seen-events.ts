/** How many event IDs are kept. A real receiver keeps them for 90 days, on disk [WH-5]. */
const EVENTS_REMEMBERED = 4096;

/** The IDs of the latest events. */
export class SeenEvents {
  private readonly ids = new Set<string>();

  has(eventId: string): boolean {
    return this.ids.has(eventId);
  }

  /** @returns whether the event was already known. */
  add(eventId: string): boolean {
    const again = this.ids.delete(eventId);
    this.ids.add(eventId);
    const [oldest] = this.ids;
    if (this.ids.size > EVENTS_REMEMBERED && oldest !== undefined) this.ids.delete(oldest);
    return again;
  }
}
