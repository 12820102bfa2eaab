import path from 'node:path';
import { parse as parseTomlText } from 'smol-toml';
import { parse as parseYamlText } from 'yaml';
import * as z from 'zod';
import { Problem } from '../core/problem.ts';

/** Velocity has `config.toml`; Bukkit, Sponge and BungeeCord have `config.yml`. Both have the same keys. */
export const CONFIG_NAMES = ['config.yml', 'config.toml'] as const;

/** The config of a Votifier plugin. */
export interface PluginConfig {
  readonly tokens: ReadonlyMap<string, string>;
  readonly port: number | null;
  /** Whether the plugin accepts v1 votes. */
  readonly acceptsV1: boolean;
  /** What the import leaves out, and what to do about it. */
  readonly notImported: readonly NotImported[];
}

export interface NotImported {
  readonly what: string;
  readonly sentence: string;
}

/** Other programs also use these file names. A Votifier config has `tokens` at its top level. */
export const isVotifierConfig = (text: string): boolean =>
  /^tokens\s*[:=]/m.test(text) || /^\s*\[\s*tokens\s*\]/m.test(text);

/** @throws Problem `import-unreadable` */
export function parsePluginConfig(file: string, text: string): PluginConfig {
  const value = file.endsWith('.toml') ? parseToml(file, text) : parseYaml(file, text);
  const result = pluginConfig.safeParse(value);
  if (result.success) return readings(result.data);
  const at = result.error.issues[0]?.path.join('.') ?? '';
  throw new Problem(
    'import-unreadable',
    `${file}: \`${at || path.basename(file)}\` does not have the form that the plugin writes`,
  );
}

/** A scalar of either format as a string. YAML is parsed without types, so that a token of digits keeps its leading zeros. */
const word = z.union([z.string(), z.number(), z.bigint(), z.boolean()]).transform(String);

const pluginConfig = z.object({
  host: word.optional(),
  port: word
    .pipe(z.string().regex(/^\d{1,5}$/))
    .transform(Number)
    .refine((port) => port > 0 && port <= 65_535)
    .optional(),
  'disable-v1-protocol': word.optional(),
  tokens: z.record(z.string(), z.unknown()).default({}),
  forwarding: z.looseObject({ method: word.optional() }).optional().catch(undefined),
});

type Written = z.output<typeof pluginConfig>;

function readings({ host, port, tokens, forwarding, ...rest }: Written): PluginConfig {
  const written = Object.entries(tokens);
  return {
    tokens: new Map(written.flatMap(([site, token]) => (typeof token === 'string' ? [[site, token]] : []))),
    port: port ?? null,
    acceptsV1: !/^(?:true|yes|on)$/i.test(rest['disable-v1-protocol'] ?? ''),
    notImported: [
      ...written.filter(([, token]) => typeof token !== 'string').map(([site]) => unusableToken(site)),
      ...hostNotImported(host),
      ...forwardingNotImported(forwarding?.method),
    ],
  };
}

/** In TOML, an unquoted name with dots becomes nested tables. The plugin skips values that are not strings. */
const unusableToken = (site: string): NotImported => ({
  what: `token of ${site}`,
  sentence:
    'the plugin ignores it because it is not a string; put the token, and a name with dots, in quotes',
});

const ALL_ADDRESSES = ['', '0.0.0.0', '::', '%ip%'];

const hostNotImported = (host = ''): readonly NotImported[] =>
  ALL_ADDRESSES.includes(host)
    ? []
    : [
        {
          what: `host ${host}`,
          sentence: `the plugin listened only on this address; to do the same here, set listener.host to it`,
        },
      ];

const forwardingNotImported = (method = 'none'): readonly NotImported[] =>
  method.toLowerCase() === 'none'
    ? []
    : [
        {
          what: `forwarding by ${method}`,
          sentence:
            'Teller runs reward commands directly on each game server; add the servers to gameServers',
        },
      ];

function parseYaml(file: string, text: string): unknown {
  try {
    return parseYamlText(text, { schema: 'failsafe' }) || {};
  } catch (error) {
    throw unreadable(file, 'YAML', error);
  }
}

function parseToml(file: string, text: string): unknown {
  try {
    return parseTomlText(text, { integersAsBigInt: 'asNeeded' });
  } catch (error) {
    throw unreadable(file, 'TOML', error);
  }
}

function unreadable(file: string, format: string, error: unknown): Problem {
  const [reason] = String((error as Error).message).split('\n');
  return new Problem('import-unreadable', `${file} is not ${format}: ${reason}`);
}
