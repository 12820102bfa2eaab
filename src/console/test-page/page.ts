import type { Config } from '../../config/config.ts';
import { listText } from '../../core/list-text.ts';
import { DEFAULT_SITE } from '../../core/service-name.ts';
import { STAND_IN_SERVICE } from '../../core/vote.ts';
import { type PracticeWorld, practiceWorlds } from '../../operator/trial/practice-worlds.ts';
import { payingServers, type Version } from '../../operator/trial/send-test-vote.ts';
import {
  alert,
  card,
  type FormState,
  form,
  freshForm,
  type Html,
  inputField,
  live,
  radioField,
  refusedForm,
  submitButton,
} from '../../web/kit.ts';
import type { Page } from '../../web/layout.ts';
import type { ConsoleParts } from '../parts.ts';
import { paths } from '../paths.ts';
import { joinForm, worldsView } from './worlds-view.ts';

/** The forms as they were sent, if one of them was refused. */
export interface SentForms {
  readonly vote?: FormState;
  readonly practice?: FormState;
}

const VERSIONS: Readonly<Record<Version, string>> = {
  v2: 'Version 2, with the token of the site',
  v1: 'Version 1, with the public key',
};

/** What the listener accepts, the newer version first. */
export const offeredVersions = ({ listener }: Config): readonly Version[] =>
  (['v2', 'v1'] as const).filter((version) => listener.protocols.includes(version));

export function testPage({ teller }: ConsoleParts, csrf: string, sent: SentForms = {}): Page {
  const { config, gameServers } = teller;
  const worlds = practiceWorlds(teller.practiceServers);
  const real = payingServers(config, gameServers);
  const faults = { ...sent.vote?.faults, ...sent.practice?.faults };
  return {
    title: 'Test',
    lead: 'Try what a listing and a player would do.',
    refused: refusedForm(faults),
    body: [
      voteCard(config, real, csrf, sent.vote),
      worlds.length > 0 && practiceCard(worlds, csrf, sent.practice),
    ],
  };
}

const voteCard = (config: Config, real: readonly string[], csrf: string, state = freshForm): Html =>
  card({
    title: 'Send a vote',
    note: 'It is sent over the network to the port where your listings send theirs, and counts like any other vote.',
    body: [
      live(
        'paid-for-real',
        real.length > 0 &&
          alert({
            tone: 'warn',
            title: 'The player is paid for real',
            body: `What the vote earns is paid on ${listText(real, 'and')}, and the player’s next vote for the site waits as after a real one.`,
          }),
      ),
      form({
        action: paths.testVote,
        csrf,
        state,
        fields: [
          inputField(state, {
            name: 'player',
            label: 'Player',
            hint: 'Players who are online are paid at once. For others, a reward may wait until they join.',
          }),
          inputField(state, {
            name: 'service',
            label: 'Service name',
            value: serviceSuggested(config),
            hint: `${STAND_IN_SERVICE} belongs to no listing. With the name of a listed site, the vote counts for that site, and the player’s next vote there has to wait.`,
          }),
          radioField(state, {
            name: 'version',
            label: 'Protocol',
            choices: offeredVersions(config).map((value) => ({ value, label: VERSIONS[value] })),
            chosen: offeredVersions(config).slice(0, 1),
          }),
        ],
        submit: submitButton('Send vote'),
      }),
    ],
  });

/** A listed site only if no other vote can be signed: a test would take the player's window there. */
const serviceSuggested = ({ sites }: Config): string =>
  sites.get(DEFAULT_SITE)?.token?.missing === null
    ? STAND_IN_SERVICE
    : ([...sites.keys()].find((site) => site !== DEFAULT_SITE) ?? STAND_IN_SERVICE);

const practiceCard = (worlds: readonly PracticeWorld[], csrf: string, state = freshForm): Html =>
  card({
    title: 'Players on practice servers',
    note: 'They exist only inside Teller. A reward that waits for its player is paid when they join.',
    body: [live('practice', worldsView(worlds, csrf)), joinForm(worlds, csrf, state)],
  });
