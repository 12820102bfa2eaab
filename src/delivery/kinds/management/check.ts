import { type Finding, ok, warning } from '../../../core/finding.ts';
import { ManagementConnection } from './connection.ts';
import { unreported } from './faults.ts';
import { type ManagementTarget, openSocket } from './socket.ts';

/** Whether the game server lists its players over the management protocol. It is tried once, with the secret of the config. */
export async function checkManagement(name: string, target: ManagementTarget): Promise<Finding> {
  if (target.secret.missing !== null)
    return warning(
      'management-secret-unknown',
      `the management protocol of ${name} was not tried: ${target.secret.missing}`,
    );
  const opened = await openSocket(target, new AbortController().signal);
  const listed = opened.kind === 'failed' ? opened : await list(opened.socket, target);
  return listed.kind === 'listed'
    ? ok('joins', `${name} reports joins as they happen (${new URL(target.url).host})`)
    : warning(listed.fault, unreported(name, listed.fault));
}

async function list(socket: ConstructorParameters<typeof ManagementConnection>[0], target: ManagementTarget) {
  const connection = new ManagementConnection(socket, target, () => {});
  try {
    return await connection.players();
  } finally {
    connection.close();
  }
}
