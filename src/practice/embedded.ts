import { removePracticeAddress, writePracticeAddress } from './address-file.ts';
import type { PracticeServer, PracticeSettings } from './server.ts';

type PracticeEnvironment = Pick<PracticeSettings, 'clock' | 'random' | 'log'>;

/** The practice servers inside `teller run`, and the files by which `teller practice …` finds them. */
export class EmbeddedServers {
  readonly servers = new Map<string, PracticeServer>();
  private isPublished = false;

  /** @param folder the folder of the files. */
  constructor(
    private readonly folder: string,
    private readonly environment: PracticeEnvironment,
  ) {}

  async start(names: readonly string[]): Promise<void> {
    for (const name of names) {
      if (!this.servers.has(name)) this.servers.set(name, await startServer(this.environment));
    }
    if (this.isPublished) await this.publish();
  }

  /** Stops those that are not among these names. */
  async keepOnly(names: readonly string[]): Promise<void> {
    for (const [name, server] of [...this.servers]) {
      if (names.includes(name)) continue;
      this.servers.delete(name);
      await this.stop(name, server);
    }
  }

  /** Writes the address files. Only the delivering process does, because no other one pays its practice servers. */
  async publish(): Promise<void> {
    this.isPublished = true;
    try {
      for (const [name, server] of this.servers) await writePracticeAddress(this.folder, name, server);
    } catch (error) {
      const fields = { code: 'practice-not-published', error: String(error) };
      this.environment.log.warn(fields, `\`teller practice\` cannot find the practice servers: ${error}`);
    }
  }

  async close(): Promise<void> {
    await this.keepOnly([]);
  }

  private async stop(name: string, server: PracticeServer): Promise<void> {
    await server.close();
    if (this.isPublished) await removePracticeAddress(this.folder, name);
  }
}

/** Its modules are loaded only here, because most processes have no practice server. */
const startServer = async (environment: PracticeEnvironment): Promise<PracticeServer> =>
  (await import('./server.ts')).startPracticeServer(environment);
