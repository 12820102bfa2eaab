import { statfs } from 'node:fs/promises';
import path from 'node:path';
import { forwardTargets, hasReal, zoneOf } from '../../config/config.ts';
import { wantedConnections } from '../../config/wanted-connections.ts';
import { connectionCaps } from '../../core/connection-caps.ts';
import { FULL_MIB, freeMib, LOW_MIB } from '../../core/disk-space.ts';
import { DAY_MS } from '../../core/duration.ts';
import { type Finding, ok, problem, warning } from '../../core/finding.ts';
import { isoTime } from '../../core/instant.ts';
import { countText, listText } from '../../core/list-text.ts';
import { behindSentence } from '../../core/missing-claims.ts';
import { pauseText, resumeText } from '../../core/pause.ts';
import { DEFAULT_SITE, shownService } from '../../core/service-name.ts';
import { STAND_IN_SERVICE } from '../../core/vote.ts';
import type { CountsPage, SharedWindow } from '../../ledger/ledger.ts';
import { openFileLimitOf, RAISE_LIMIT } from '../../platform/open-files.ts';
import { canBeListed, matchSite } from '../../votes/sites.ts';
import { alarmsReport } from '../alarms/report.ts';
import { liveEntries } from '../control/client.ts';
import { eventsReport, type ReceiverReport } from '../events/report.ts';
import { votes } from '../practice-votes.ts';
import { checkChannels } from './channels.ts';
import { checkClock } from './clock.ts';
import { checkGrants } from './grants.ts';
import { checkReplies } from './replies.ts';
import { checkRewards } from './rewards.ts';
import { checkKeys, checkOwnFiles, checkTokens } from './secrets.ts';
import { checkSites } from './sites.ts';
import type { Step, Subject } from './subject.ts';

/** What is seen in another way from outside than in the running Teller itself, which knows it already. */
export interface Views {
  /** Whether what runs is what the file says. */
  readonly running: Step;
  readonly ports: Step;
  readonly gameServers: Step;
  readonly apis: Step;
}

/** The checks that run once the config can be read, in the order of the report. */
const stepsWith = ({ running, ports, gameServers, apis }: Views): readonly Step[] => [
  running,
  checkOwnFiles,
  checkTokens,
  checkKeys,
  ports,
  checkClock,
  checkTimeZone,
  checkOpenFiles,
  checkDisk,
  checkLedger,
  checkCounts,
  gameServers,
  checkReplies,
  checkPay,
  checkForwards,
  checkPauses,
  checkAlarms,
  checkEvents,
  checkGrants,
  checkPracticeVotes,
  checkRewards,
  checkChannels,
  apis,
  checkSites,
  checkSharedWindows,
];

/** One after another, so that a large ledger is not asked everything at once. */
export async function findingsOf(subject: Subject, views: Views): Promise<readonly Finding[]> {
  const found: Finding[] = [];
  for (const step of stepsWith(views)) found.push(...(await step(subject)));
  return found;
}

/** Whether the operator would be notified. */
async function checkAlarms({ config, clock }: Subject): Promise<readonly Finding[]> {
  const { isConfigured, lastPost, alarms } = await alarmsReport(config, clock);
  if (!isConfigured) return [];
  if (lastPost?.failure) {
    const { sentence, code, toDo } = lastPost.failure;
    const failed = `the last message about alarms, at ${isoTime(lastPost.at)}, did not arrive: ${sentence} (${code})`;
    return [warning('alarms-unsent', failed, `${toDo}; \`teller alarms test\` tries it`)];
  }
  const last =
    lastPost === null ? 'no message was sent yet' : `the last message arrived at ${isoTime(lastPost.at)}`;
  const holding = alarms.filter(({ alarm }) => alarm.end === null).length;
  return [ok('alarms', `${last}; ${holding === 1 ? '1 alarm holds' : `${holding} alarms hold`}`)];
}

/** Compares the counts that rewards depend on with the votes, and counts again where they differ (rule 14). */
async function checkCounts(subject: Subject): Promise<readonly Finding[]> {
  const { ledger, deep } = subject;
  if (ledger === null || deep === null || (await ledger.missing()) !== null) return [];
  const recipients: number[] = [];
  let [network, parties]: [boolean, CountsPage['parties']] = [false, []];
  for (let after: number | null = 0; after !== null; ) {
    const page: CountsPage = await ledger.wrongCounts(after);
    await deep.onPart?.({ table: 'recipients, compared with their votes', share: page.share });
    recipients.push(...page.recipients);
    ({ network, parties, upTo: after } = page);
  }
  if (recipients.length === 0 && !network && parties.length === 0) {
    return [ok('counts', 'totals, streaks and parties are those of the votes')];
  }
  await deep.recount(subject.config.ledger, { recipients, network, parties });
  const of = [
    ...(recipients.length > 0 ? [`${recipients.length} player${recipients.length === 1 ? '' : 's'}`] : []),
    ...(network ? ['the network'] : []),
    ...(parties.length > 0 ? [`${parties.length} part${parties.length === 1 ? 'y' : 'ies'}`] : []),
  ].join(' and of ');
  const sentence = `the stored counts of ${of} were not those of the votes, and were counted again`;
  return [
    warning('counts-rebuilt', sentence, 'report it: rewards for totals or streaks may have been missed'),
  ];
}

/** Who is told of what, and whether it reaches them. Nothing is posted. */
async function checkEvents({ config, ledger }: Subject): Promise<readonly Finding[]> {
  if (config.events.length === 0 || ledger === null) return [];
  const { receivers } = await eventsReport(config, ledger, { kinds: [], limit: 0 });
  const unsent = receivers.flatMap(unsentFinding);
  if (unsent.length > 0) return unsent;
  const told = receivers.map(({ name, on }) => `${name} (${on.join(', ')})`);
  const subject = receivers.length === 1 ? 'the receiver of events is' : 'the receivers of events are';
  return [ok('events', `${subject} ${listText(told, 'and')}`)];
}

/** While the last attempt has failed, or events are not sent again by themselves. */
function unsentFinding({ name, last, waiting, undelivered }: ReceiverReport): readonly Finding[] {
  const failure = last?.failure ?? null;
  if (failure === null && undelivered === 0) return [];
  const left = [
    ...(waiting === 0 ? [] : [`${countText(waiting, 'event')} will be sent again`]),
    ...(undelivered === 0 ? [] : [`${countText(undelivered, 'event')} will not`]),
  ];
  const counts = left.length === 0 ? '' : `; ${listText(left, 'and')}`;
  const what =
    failure === null || last === null
      ? `${name} did not take all events`
      : `the last event for ${name}, at ${isoTime(last.at)}, did not arrive: ${failure.sentence} (${failure.code})`;
  const resend = undelivered === 0 ? '' : '; then `teller events resend`';
  const toDo =
    failure === null || failure.toDo === ''
      ? '`teller events test` tries it'
      : `${failure.toDo}; \`teller events test\` tries it`;
  return [warning('events-unsent', what + counts, toDo + resend)];
}

/** Whether the listener that pays in shadow gets votes from here. */
async function checkForwards({ config }: Subject): Promise<readonly Finding[]> {
  if (config.pay.mode !== 'shadow' || forwardTargets(config).length > 0) return [];
  return [
    warning(
      'shadow-alone',
      'in shadow the other listener pays, but no vote is forwarded to it from here',
      'add a game server of kind "votifier", unless the listings send their votes there themselves',
    ),
  ];
}

/** Whether the open-file limit, if the operating system reports it, leaves room for the connections that the config asks for. */
async function checkOpenFiles({ config, controlFolder }: Subject): Promise<readonly Finding[]> {
  const [running] = await liveEntries(controlFolder);
  const most = await openFileLimitOf(running?.published.pid ?? 'self');
  if (most === null) return [];
  const wanted = wantedConnections(config);
  const { listener: taken } = connectionCaps(most, wanted);
  const whose = running === undefined ? 'a Teller started from this shell' : 'the running Teller';
  const limit = `${whose} can open ${most.toLocaleString('en')} files`;
  if (taken === wanted.listener)
    return [ok('files', `${limit}, which is enough for ${wanted.listener} connections`)];
  const few = `${limit}, so it accepts ${taken} connections instead of ${wanted.listener}`;
  return [warning('files-few', few, RAISE_LIMIT)];
}

/** What the operator has paused, and might have forgotten. */
async function checkPauses({ ledger }: Subject): Promise<readonly Finding[]> {
  const pauses = (await ledger?.pauses()) ?? [];
  return pauses.map((pause) =>
    warning('paused', pauseText(pause), `\`${resumeText(pause)}\` ends the pause`, {
      kind: 'resume',
      scope: { server: pause.server, reward: pause.reward },
    }),
  );
}

/** Which votes are paid here, beside another listener. */
async function checkPay({ config: { pay }, clock }: Subject): Promise<readonly Finding[]> {
  if (pay.mode === 'shadow') {
    const todo =
      'compare with `teller shadow report`; to pay votes from a time on, set pay.mode to "real" and pay.from to that time';
    return [warning('shadow', 'nothing is paid here, because pay.mode is "shadow"', todo)];
  }
  if (pay.from === null) return [];
  const from = isoTime(pay.from);
  return clock.now() < pay.from
    ? [
        warning(
          'hand-over',
          `nothing is paid here before ${from}, as pay.from says; until then the other side pays`,
        ),
      ]
    : [ok('hand-over', `votes received since ${from} are paid here; the other side pays earlier ones`)];
}

/** Votes that were tried from this machine, which `game-servers add` voids, and a config that is written by hand does not. */
async function checkPracticeVotes({ config, ledger }: Subject): Promise<readonly Finding[]> {
  if (ledger === null || !hasReal(config)) return [];
  const { fromHere, areVoided } = await ledger.practiceVotes();
  if (areVoided || fromHere === 0) return [];
  return [
    warning(
      'practice-votes',
      `${votes(fromHere)} from this machine, sent while every game server was a practice one, still ${fromHere === 1 ? 'counts' : 'count'} for windows, totals and limits`,
      'void them: `teller votes void --practice`',
    ),
  ];
}

const LOOKED_AT_MS = 7 * DAY_MS;
const SERVICES_MAX = 10;

/** Rewards that players missed because services without an entry share a window. Skips services listed since then. */
async function checkSharedWindows({ ledger, config, clock }: Subject): Promise<readonly Finding[]> {
  if (ledger === null) return [];
  const shared = await ledger.sharedWindows(DEFAULT_SITE, clock.now() - LOOKED_AT_MS, SERVICES_MAX);
  const unlisted = shared.filter(
    ({ service }) => !matchSite(config.sites, service).isListed && service !== STAND_IN_SERVICE,
  );
  return unlisted.map(findingOf);
}

function findingOf({ service, votes, lastVote, waiting }: SharedWindow): Finding {
  const name = shownService(service, 64);
  const counted = votes === 1 ? '1 vote' : `${votes} votes`;
  return problem(
    'window-shared',
    `${counted} on ${name} got no reward in the last 7 days, because services without an entry share one window and a vote on another one had taken it`,
    waiting === votes
      ? `\`teller sites add\` gives ${name} its own window and pays ${votes === 1 ? 'this vote' : 'these votes'}`
      : `\`teller sites add\` gives ${name} its own window; \`teller votes reward ${lastVote}\` rewards the latest of these votes`,
    canBeListed(service) ? { kind: 'add-site', service } : null,
  );
}

/** A process that records votes must begin its days in the time zone of the one that delivers. */
async function checkTimeZone({ ledger, config, clock, isRunning }: Subject): Promise<readonly Finding[]> {
  const zone = zoneOf(config, clock);
  const inForce = (await ledger?.timeZone()) ?? zone;
  if (inForce === zone || !isRunning) return [ok('time-zone', `days begin at midnight in ${zone}`)];
  return [
    problem(
      'time-zone-differs',
      `the running Teller begins its days in ${inForce}, and this config in ${zone}`,
      'set the same `timeZone`, or restart Teller',
    ),
  ];
}

async function checkLedger({ ledger, config, deep }: Subject): Promise<readonly Finding[]> {
  if (ledger === null) return [];
  const missing = await ledger.missing();
  if (missing !== null) return [problem('ledger-behind', behindSentence(config.ledger, missing))];
  // The same damage may show in several parts.
  const damages = new Set<string>();
  for (const part of deep === null ? [] : await ledger.deepParts()) {
    await deep?.onPart?.(part);
    for (const damage of await ledger.damagesIn(part)) damages.add(damage);
  }
  const toDo = 'stop Teller, keep a copy of the file, then `teller restore` the last backup';
  if (damages.size > 0) {
    return [problem('ledger-corrupt', `${config.ledger} is damaged: ${[...damages].join('; ')}`, toDo)];
  }
  const depth =
    deep === null ? '; --deep reads all of it' : ', and all of it is intact, including the indexes';
  return [ok('ledger', `${config.ledger} can be read${depth}`)];
}

async function checkDisk({ config }: Subject): Promise<readonly Finding[]> {
  return [await diskOf(path.dirname(config.ledger))];
}

/** Of the nearest folder that exists: before the first start there is none, and it may be removed at any moment. */
async function diskOf(folder: string): Promise<Finding> {
  try {
    return diskFinding(freeMib(await statfs(folder)), folder);
  } catch (error) {
    const parent = path.dirname(folder);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === folder) throw error;
    return diskOf(parent);
  }
}

function diskFinding(mib: number, folder: string): Finding {
  const sentence = `${mib.toLocaleString('en')} MiB are free in ${folder}`;
  if (mib < FULL_MIB)
    return problem('ledger-full', sentence, 'free some space, or votes can no longer be stored');
  return mib < LOW_MIB ? warning('disk-low', sentence, 'free some space') : ok('disk', sentence);
}
