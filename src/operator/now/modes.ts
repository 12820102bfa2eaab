import { type Config, practiceNames } from '../../config/config.ts';
import { isoTime } from '../../core/instant.ts';
import { listText } from '../../core/list-text.ts';
import { type Pause, pauseText } from '../../core/pause.ts';

/** Why votes that arrive now are not all paid to real players, here and at once. */
export type Mode =
  /** `isOnly`: there is no real game server. */
  | { readonly kind: 'practice'; readonly servers: readonly string[]; readonly isOnly: boolean }
  | { readonly kind: 'shadow' }
  /** `from`: in ms since the Unix epoch, and still to come. */
  | { readonly kind: 'hand-over'; readonly from: number }
  | { readonly kind: 'paused'; readonly pause: Pause };

/** All that apply now; empty if every vote is paid. */
export function modesOf(config: Config, pauses: readonly Pause[], now: number): readonly Mode[] {
  const { pay, gameServers } = config;
  const servers = practiceNames(config);
  return [
    ...(pay.mode === 'shadow' ? [{ kind: 'shadow' } as const] : []),
    ...(pay.mode === 'real' && pay.from !== null && now < pay.from
      ? [{ kind: 'hand-over', from: pay.from } as const]
      : []),
    ...pauses.map((pause) => ({ kind: 'paused', pause }) as const),
    ...(servers.length > 0
      ? [{ kind: 'practice', servers, isOnly: servers.length === gameServers.size } as const]
      : []),
  ];
}

/** What a mode means, in one or two sentences. */
export function modeText(mode: Mode): string {
  switch (mode.kind) {
    case 'shadow':
      return 'Shadow: votes are stored and decided, but nothing is paid here, because pay.mode is "shadow".';
    case 'hand-over':
      return `Hand-over: votes that arrive before ${isoTime(mode.from)} are paid by the other listener, and later ones here.`;
    case 'paused':
      return `Paused: ${pauseText(mode.pause)}.`;
    case 'practice':
      return practiceText(mode);
  }
}

const practiceText = ({ servers, isOnly }: Extract<Mode, { kind: 'practice' }>): string =>
  isOnly
    ? 'Practice: rewards go to a practice server inside Teller, and no real player is paid.'
    : `Practice: rewards on ${listText(servers, 'and')} go to a practice server inside Teller, and not to real players.`;
