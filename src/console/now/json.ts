import { isoTime, isoTimeOrNull } from '../../core/instant.ts';
import { isConnected } from '../../operator/now/guide.ts';
import { type Mode, modeText } from '../../operator/now/modes.ts';
import type { SiteNow } from '../../operator/now/sites.ts';
import { stateSentences } from '../../operator/now/state.ts';
import type { RefusalFigure } from '../../operator/trace/refusals.ts';
import type { NowFacts } from './facts.ts';

/** The page as values, for scripts. */
export const nowJson = ({ state, gameServers, sites, checked, guide }: NowFacts) => {
  const { listening, modes, sites: counted, away, needYou } = stateSentences(state);
  return {
    state: [listening, ...modes, counted, away, needYou].filter((each) => each !== null).join(' '),
    port: state.port,
    modes: state.modes.map(modeJson),
    lastVoteAt: isoTimeOrNull(state.lastVoteAt),
    away: state.away,
    needYou: state.needYou,
    checkedAt: isoTimeOrNull(checked?.at ?? null),
    problems: checked?.findings.filter(({ mark }) => mark !== 'ok') ?? [],
    gameServers: gameServers.servers.map(({ retryAt, ...server }) => ({
      ...server,
      retryAt: isoTimeOrNull(retryAt),
    })),
    otherQueues: gameServers.others,
    sites: sites.sites.map(siteJson),
    sitesLeftOut: sites.leftOut,
    refusedWithoutName: sites.nameless.map(refusalJson),
    noise: sites.noise,
    firstSteps: {
      testVote: guide.testVote?.id ?? null,
      isPaid: guide.isPaid,
      isConnected: isConnected(guide),
      hasListingVote: guide.hasListingVote,
      practice: guide.worlds,
    },
  };
};

function modeJson(mode: Mode) {
  const text = modeText(mode);
  switch (mode.kind) {
    case 'hand-over':
      return { ...mode, from: isoTime(mode.from), text };
    case 'paused':
      return { kind: mode.kind, pause: { ...mode.pause, at: isoTime(mode.pause.at) }, text };
    default:
      return { ...mode, text };
  }
}

const siteJson = ({ lastVoteAt, refusals, ...site }: SiteNow) => ({
  ...site,
  lastVoteAt: isoTimeOrNull(lastVoteAt),
  refusals: refusals.map(refusalJson),
});

const refusalJson = ({ service: _, lastAt, ...figure }: RefusalFigure) => ({
  ...figure,
  lastAt: isoTime(lastAt),
});
