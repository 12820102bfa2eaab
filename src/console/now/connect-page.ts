import {
  actions,
  alert,
  card,
  code,
  diff,
  fieldsRow,
  form,
  type Html,
  html,
  inputField,
  linkButton,
  postButton,
  quoted,
  type Refused,
  submitButton,
} from '../../web/kit.ts';
import type { Page } from '../../web/layout.ts';
import { paths } from '../paths.ts';
import type { Typed } from '../told.ts';
import { type EnteredForm, hiddenIn } from './connect-form.ts';
import type { PlannedServer } from './planned-servers.ts';

interface ConnectPage {
  readonly form: EnteredForm;
  readonly csrf: string;
  readonly command: Typed;
  readonly refused?: Refused;
}

const TRAIL = [{ label: 'Now', href: paths.now }];

/** The form for a game server that is in the config already. */
export const connectPath = (replaces: string): string =>
  `${paths.connect}?replace=${encodeURIComponent(replaces)}`;

export const connectPage = ({ form: entered, csrf, command, refused }: ConnectPage): Page => ({
  title: 'Connect a game server',
  lead: 'Teller pays rewards over RCON, the remote console of Minecraft servers.',
  trail: TRAIL,
  refused: refused ?? null,
  body: [
    card({
      title: 'On the game server',
      body: html`<p>In ${code('server.properties')}, set these lines, and restart the game server:</p>
        <pre class="code-block" tabindex="0">enable-rcon=true
rcon.port=25575
rcon.password=<em>a long password of your choice</em></pre>
        <p class="hint">A proxy such as Velocity or BungeeCord has no RCON: enter the game servers behind it, each by itself.</p>
        <p class="hint">To try this without a game server, type ${code(command('practice'))} in a terminal. It runs a practice
          server in a process of its own, and prints the port and the password to enter here.</p>`,
    }),
    card({ title: 'Here', body: connectForm(entered, csrf) }),
  ],
});

const connectForm = ({ state, replaces }: EnteredForm, csrf: string): Html =>
  form({
    action: paths.connect,
    csrf,
    with: { replaces: replaces ?? '' },
    state,
    fields: [
      inputField(state, {
        name: 'name',
        label: 'Name',
        hint: 'Of your choice. Rewards use it to say where they are paid.',
      }),
      fieldsRow(
        inputField(state, {
          name: 'host',
          label: 'Address',
          kind: 'exact',
          value: '127.0.0.1',
          hint: html`${code('127.0.0.1')} if it runs on this machine.`,
        }),
        inputField(state, {
          name: 'port',
          label: 'Port',
          kind: 'number',
          value: '25575',
          brief: true,
          hint: html`${code('rcon.port')}`,
        }),
      ),
      inputField(state, {
        name: 'password',
        label: 'Password',
        kind: 'password',
        hint: html`${code('rcon.password')}. It is kept in a file that only Teller’s user can read.`,
      }),
    ],
    submit: submitButton('Show what changes'),
  });

interface PlannedPage extends PlannedServer {
  readonly id: string;
  readonly csrf: string;
  /** The practice servers of the present config. */
  readonly practice: readonly string[];
  /** Why it was not written yet, although that was asked for. */
  readonly refused?: Refused;
}

export const plannedPage = ({ plan, entered, id, csrf, practice, refused }: PlannedPage): Page => ({
  title: 'What changes',
  lead: 'Nothing is written yet.',
  trail: [...TRAIL, { label: 'Connect a game server', href: paths.connect }],
  refused: refused ?? null,
  body: [
    card({
      title: 'In the config file',
      note: html`${quoted(plan.file)}. The password goes into ${quoted(plan.passwordFile)}.`,
      body: diff({ id: 'diff', label: 'Changed lines', lines: plan.diff }),
    }),
    plan.keptOn !== null &&
      alert({
        tone: 'warn',
        title: `Rewards that named no game server stay on ${plan.keptOn}`,
        body: `With two game servers, each reward says where it is paid. To pay some on ${plan.name}, change their servers in the config file later.`,
      }),
    plan.replaced !== null &&
      practice.includes(plan.replaced) &&
      alert({
        tone: 'warn',
        title: `It takes the place of the practice server ${plan.replaced}`,
        body: 'What waits to be paid there is held, and real players are paid from now on.',
      }),
    actions(
      postButton({
        label: 'Write it and connect',
        kind: 'primary',
        action: paths.connectWritten,
        csrf,
        with: { ...hiddenIn(entered), plan: id },
      }),
      linkButton('Back', paths.connect),
    ),
  ],
});
