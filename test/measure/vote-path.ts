import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { finished, ownFolder, started } from './programs.ts';

const TOKEN = 'a-token-for-one-vote-that-is-measured';
const PASSWORD = 'measured';
const CONFIG = {
  listener: { host: '127.0.0.1', port: 0 },
  console: { port: 0 },
  sites: { default: { token: TOKEN } },
  rewards: [{ name: 'daily', when: 'online', commands: ['give {player} diamond 1'] }],
};
/** What it does after its start is not part of the vote. */
const STARTED_MS = 3_000;
const PAID_MS = 1_500;
/** Until all threads have written. */
const WRITTEN_MS = 2_000;
/** Preloaded into every thread: whenever a file changes, it writes which functions were called since. */
const COUNTING = `
  import { watch } from 'node:fs';
  import { takeCoverage } from 'node:v8';
  watch(process.env.COUNTED_SINCE, { persistent: false }, () => takeCoverage());`;

interface Ready {
  readonly listener: { readonly port: number };
  readonly practiceServer: object;
}

/** What runs between the arrival of a version 2 vote and the outcome of the RCON command that it earns, on all threads. */
export interface Passed {
  /** From the root of the repository, in the order of the alphabet. */
  readonly files: readonly string[];
  readonly functions: number;
}

/** Runs the source with V8's count of calls, which is set back when Teller has listened for a while. */
export async function passedBy(root: string): Promise<Passed> {
  const folder = ownFolder();
  const [config, since, counts] = [
    join(folder, 'config.json'),
    join(folder, 'since'),
    join(folder, 'counts'),
  ];
  const stops: ReturnType<typeof started>['stop'][] = [];
  const program = ['--import', 'tsx', join(root, 'src/commands/cli.ts')];
  const start = async (words: readonly string[], env: NodeJS.ProcessEnv = {}) => {
    const { stop, ready } = started<Ready>(words, { cwd: root, env: { ...process.env, ...env } });
    stops.push(stop);
    return ready;
  };
  try {
    const { practiceServer } = await start([...program, 'practice', '--password', PASSWORD, '--json']);
    const main = { kind: 'rcon', ...practiceServer, password: PASSWORD, joinDelay: '0s' };
    const ledger = join(folder, 'teller.db');
    writeFileSync(config, JSON.stringify({ ...CONFIG, gameServers: { main }, ledger }), { mode: 0o600 });
    writeFileSync(since, '');
    const { listener } = await start([...program, 'run', '--config', config, '--json'], {
      ...{ NODE_V8_COVERAGE: counts, COUNTED_SINCE: since },
      NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(COUNTING)}`,
    });
    await wait(STARTED_MS);
    const written = async (): Promise<readonly string[]> => {
      rmSync(counts, { recursive: true, force: true });
      mkdirSync(counts);
      writeFileSync(since, 'now');
      await wait(WRITTEN_MS);
      return readdirSync(counts).map((name) => readFileSync(join(counts, name), 'utf8'));
    };
    await written();
    const vote = ['send', '--port', String(listener.port), '--token', TOKEN, '--player', 'Steve'];
    await finished([...program, ...vote], { cwd: root });
    await wait(PAID_MS);
    return passedIn(await written(), root);
  } finally {
    for (const stop of stops) await stop('SIGKILL');
  }
}

/** A script, as V8 reports it. */
interface Script {
  readonly url: string;
  readonly functions: readonly {
    readonly functionName: string;
    readonly ranges: readonly { readonly count: number; readonly startOffset: number }[];
  }[];
}

function passedIn(reports: readonly string[], root: string): Passed {
  const files = new Set<string>();
  const functions = new Set<string>();
  for (const { url, functions: all } of reports.flatMap((text) => JSON.parse(text).result as Script[])) {
    const path = url.startsWith('file:') ? fileURLToPath(url.replace(/\?.*/, '')) : '';
    if (!/\/(?:src|protocol)\/.*\.tsx?$/.test(path) || path.includes('node_modules')) continue;
    for (const { functionName, ranges } of all) {
      const [whole] = ranges;
      if (whole === undefined || whole.count === 0 || whole.startOffset === 0) continue;
      files.add(path.slice(root.length + 1));
      functions.add(`${path} ${functionName} ${whole.startOffset}`);
    }
  }
  return { files: [...files].toSorted(), functions: functions.size };
}
