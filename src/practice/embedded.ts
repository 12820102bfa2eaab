import { removePracticeAddress, writePracticeAddress } from './address-file.ts';
import { type PracticeServer, type PracticeSettings, startPracticeServer } from './server.ts';

type Surroundings = Pick<PracticeSettings, 'clock' | 'dice' | 'log'>;

/** The practice servers inside a Teller, and the files by which `teller practice …` finds them. */
export class EmbeddedServers {
  readonly servers = new Map<string, PracticeServer>();
  private readonly folder: string;
  private readonly around: Surroundings;
  private isPublished = false;

  /** @param folder where the files are. */
  constructor(folder: string, around: Surroundings) {
    this.folder = folder;
    this.around = around;
  }

  async start(names: readonly string[]): Promise<void> {
    for (const name of names) this.servers.set(name, await startPracticeServer(this.around));
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
    for (const [name, server] of this.servers) {
      await server.close();
      if (this.isPublished) await removePracticeAddress(this.folder, name);
    }
  }
}
