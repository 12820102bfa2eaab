import { MARKED_BYTES } from '../core/proof.ts';
import { templateText } from '../core/template.ts';
import { COMMAND_BYTES_MAX, longestBytes } from '../core/template-bytes.ts';
import type { FaultAtPath, Path } from './fault.ts';
import { commandsIn, type Outline, type RewardOutline } from './outline.ts';
import { readServers } from './reward-servers.ts';

/** A command is longer where it leaves a mark, so it may be too long there only. */
export function proofFaults(
  reward: RewardOutline,
  path: Path,
  gameServers: Outline['gameServers'],
): FaultAtPath[] {
  const { names } = readServers(reward.servers, Object.keys(gameServers));
  const proving = names.find((name) => gameServers[name]?.proof === 'storage');
  if (proving === undefined) return [];
  const bytes = Math.max(0, ...commandsIn(reward).map(bytesOf));
  if (bytes > COMMAND_BYTES_MAX || bytes + MARKED_BYTES <= COMMAND_BYTES_MAX) return [];
  const sentence = `has a command that can become ${bytes} bytes long, and ${MARKED_BYTES} more with \`proof\` of gameServers.${proving}, but game servers read at most ${COMMAND_BYTES_MAX}; shorten it`;
  return [{ code: 'config-template', path, sentence }];
}

/** 0 if it is not a command: it has a fault of its own. */
const bytesOf = (written: unknown): number =>
  typeof written === 'string' || Array.isArray(written) ? longestBytes(templateText(written)) : 0;
