import { isDeepStrictEqual } from 'node:util';

/**
 * The config of a first start: identical to `config.example.json` and, if the token file exists, equal to the
 * defaults. Tests compare all three.
 */
export const exampleText = `{
  "$schema": "./config.schema.json",
  "listener": {
    "host": "::",
    "port": 8192,
    "protocols": ["v1", "v2"],
    "proxyProtocol": "off",
    "maxConnections": 1024,
    "maxConnectionsPerAddress": 32,
    "deadline": "5s"
  },
  "keys": "data/keys",
  "sites": { "default": { "token": "file:data/secrets/default.token", "cooldown": "24h" } },
  "players": { "bedrockPrefixes": [".", "*"] },
  "gameServers": { "main": { "kind": "practice" } },
  "rewards": [
    {
      "name": "thanks",
      "when": "always",
      "safeToRunTwice": true,
      "commands": ["say {player} voted on {site}"]
    },
    { "name": "each-vote", "when": "online", "commands": ["give {player} diamond 1"] },
    { "name": "daily", "when": "online", "if": { "firstVote": "day" }, "commands": ["xp add {player} 100"] }
  ],
  "ledger": "data/teller.db",
  "listing": { "host": "127.0.0.1", "port": 8190, "database": "data/listing.db", "allowTargets": [] },
  "console": { "host": "127.0.0.1", "port": 8193 },
  "log": { "level": "info", "format": "auto" }
}
`;

const example = JSON.parse(exampleText) as Readonly<Record<string, unknown>>;

/** The value of a key in the config of a first start. */
export const exampleOf = (key: string): unknown => example[key];

/** Whether a config has there what a first start writes, or the default, which is the same. */
export const isExample = (key: string, written: Readonly<Record<string, unknown>>): boolean =>
  written[key] === undefined || isDeepStrictEqual(written[key], example[key]);
