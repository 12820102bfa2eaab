import { removePracticeAddress, writePracticeAddress } from './address-file.ts';
import { type PracticeServer, type PracticeSettings, startPracticeServer } from './server.ts';

type Surroundings = Pick<PracticeSettings, 'clock' | 'random' | 'log'>;

/** The practice servers inside a Teller, and the files by which `teller practice …` finds them. */
export class EmbeddedServers {
  readonly servers = new Map<string, PracticeServer>();
  private isPublished = false;

  /** @param folder where the files are. */
  constructor(
    private readonly folder: string,
    private readonly around: Surroundings,
  ) {}

  async start(names: readonly string[]): Promise<void> {
    for (const name of names) {
      if (!this.servers.has(name)) this.servers.set(name, await startPracticeServer(this.around));
    }
    if (this.isPublished) await this.publish();
  }

  /** Stops those that are not among these names. */
  async keepOnly(names: readonly string[]): Promise<void> {
    for (const [name, server] of [...this.servers]) {
      if (names.includes(name)) continue;
      this.servers.delete(name);
      await this.end(name, server);
    }
  }

  /** Only the Teller that delivers does this: another one beside it has servers that nobody pays. */
  async publish(): Promise<void> {
    this.isPublished = true;
    try {
      for (const [name, server] of this.servers) await writePracticeAddress(this.folder, name, server);
    } catch (error) {
      const fields = { code: 'practice-not-published', error: String(error) };
      this.around.log.warn(fields, `\`teller practice\` cannot find the practice servers: ${error}`);
    }
  }

  async close(): Promise<void> {
    await this.keepOnly([]);
  }

  private async end(name: string, server: PracticeServer): Promise<void> {
    await server.close();
    if (this.isPublished) await removePracticeAddress(this.folder, name);
  }
}
