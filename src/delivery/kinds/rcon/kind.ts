import { placeText } from '../../../core/address.ts';
import type { Finding } from '../../../core/finding.ts';
import type { CheckParts, ConnectParts, GameServerKind, KindFault } from '../../game-server-kind.ts';
import { type RconConfig, schema } from './schema.ts';

const loadServer = () => import('./game-server.ts');
const loadCheck = () => import('./check.ts');

/** A game server with Minecraft's remote console. */
export const rcon: GameServerKind<RconConfig> = {
  name: 'rcon',
  means: 'a game server with RCON',
  schema,
  secretKey: 'password',
  otherSecretKeys: ['managementSecret'],
  pathKeys: ['managementCertificate'],
  faultsOf,
  placeOf: ({ host, port }) => placeText(host, port),
  reportsPresence: () => true,
  isPractice: false,
  // A page of a running Teller tries a game server before it is written into the config.
  load: () => Promise.all([loadServer(), loadCheck()]),
  async connect(server, parts) {
    const { rconGameServer } = await loadServer();
    const { clock, random } = parts;
    return rconGameServer({ ...server, clock, random, managementLink: await linkOf(server, parts) });
  },
  async check(server, parts) {
    const { checkRcon } = await loadCheck();
    const [ofRcon, ofJoins] = await Promise.all([checkRcon(server, parts), checkJoins(server, parts)]);
    return ofJoins === null ? ofRcon : [...ofRcon, ofJoins];
  },
  checkJoins,
};

/** Loaded only where the config has `management`: its package is a dozen files that nobody else needs. */
async function linkOf(server: RconConfig, { name, clock, random, log }: ConnectParts) {
  const target = targetOf(server);
  if (target === null) return null;
  target.secret.reveal();
  const { ManagementLink } = await import('../management/link.ts');
  return new ManagementLink({ ...target, name, clock, random, log });
}

async function checkJoins(
  server: RconConfig,
  { name, clock }: Pick<CheckParts, 'name' | 'clock'>,
): Promise<Finding | null> {
  const target = targetOf(server);
  if (target === null) return null;
  const { checkManagement } = await import('../management/check.ts');
  return checkManagement(name, { ...target, clock });
}

const targetOf = ({
  management: url,
  managementSecret: secret,
  managementCertificate: certificate,
  commandTimeoutMs: timeoutMs,
}: RconConfig) => (url === undefined ? null : { url, secret, certificate: certificate ?? null, timeoutMs });

function faultsOf(entry: Readonly<Record<string, unknown>>): readonly KindFault[] {
  const { management, managementSecret, managementCertificate } = entry;
  if (management !== undefined && managementSecret === undefined)
    return [
      {
        key: 'managementSecret',
        sentence: 'is missing; it is `management-server-secret` of server.properties',
      },
    ];
  if (typeof management === 'string' && management.startsWith('ws:') && managementCertificate !== undefined)
    return [
      {
        key: 'managementCertificate',
        sentence: 'needs a `management` that begins with wss://, which has TLS',
      },
    ];
  return [];
}
