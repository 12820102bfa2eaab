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
    { "name": "thanks", "when": "always", "commands": ["say {player} voted on {site}"] },
    { "name": "daily", "when": "online", "commands": ["give {player} diamond 1"] }
  ],
  "ledger": "data/teller.db",
  "listing": { "host": "127.0.0.1", "port": 8190, "database": "data/listing.db", "allowTargets": [] },
  "log": { "level": "info", "format": "auto" }
}
`;
