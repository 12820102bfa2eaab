import {
  checkField,
  code,
  codeBlock,
  disclosure,
  type FormState,
  type Html,
  html,
  inputField,
} from '../../web/kit.ts';
import type { Typed } from '../told.ts';
import type { EnteredForm } from './connect-form.ts';

/** Of a game server on the same machine. */
const LINES = `management-server-enabled=true
management-server-host=localhost
management-server-port=25585
management-server-tls-enabled=false`;

interface ManagementPart extends EnteredForm {
  readonly command: Typed;
}

/** The optional part of the form, which is open if something was entered in it or the operator came for it. */
export const managementPart = ({ state, management, command }: ManagementPart, isWanted: boolean): Html =>
  disclosure(
    'Report joins at once (optional, Minecraft 1.21.9 and later)',
    [
      html`<p>Without this, Teller reads the list of players every few seconds while rewards wait. With it, the game server reports who
        joins, so waiting rewards are paid as soon as a player joins. Commands still go over RCON.</p>`,
      management !== null &&
        html`<p>The config has ${code(management)} already. Leave these fields empty to keep it.</p>`,
      codeBlock({ id: 'management-lines', label: 'In server.properties', text: LINES }),
      html`<p class="hint">Restart the game server: it then writes the secret into ${code('management-server-secret')}. Whoever has it
        controls the game server, so keep the port closed in the firewall.</p>`,
      html`<p class="hint">To try this too, add ${code('--management-port 25585')} to ${code(command('practice'))}: it prints the secret.</p>`,
      inputField(state, {
        name: 'managementPort',
        label: 'Management port',
        kind: 'number',
        brief: true,
        hint: code('management-server-port'),
      }),
      inputField(state, {
        name: 'managementSecret',
        label: 'Management secret',
        kind: 'password',
        hint: html`${code('management-server-secret')}. It is kept in a file like the password.`,
      }),
      disclosure('On another machine: TLS', tlsFields(state), hasEntered(state, TLS_FIELDS)),
    ],
    isWanted || hasEntered(state, MANAGEMENT_FIELDS),
  );

const TLS_FIELDS = ['managementTls', 'managementCertificate'];
const MANAGEMENT_FIELDS = ['managementPort', 'managementSecret', ...TLS_FIELDS];

const tlsFields = (state: FormState): Html =>
  html`${checkField(state, {
    name: 'managementTls',
    label: 'Encryption',
    choices: [
      {
        value: 'yes',
        label: 'Use TLS',
        hint: html`In ${code('server.properties')}: ${code('management-server-tls-enabled=true')}, a keystore, and the address to listen on as
          ${code('management-server-host')}.`,
      },
    ],
  })}
  ${inputField(state, {
    name: 'managementCertificate',
    label: 'Certificate',
    kind: 'exact',
    optional: true,
    hint: html`The path of its certificate (PEM) on this machine, such as ${code('data/management.pem')}. Not needed if a public
      authority issued it.`,
  })}`;

const hasEntered = ({ entered, faults }: FormState, fields: readonly string[]): boolean =>
  fields.some((name) => name in faults || entered[name]?.some((each) => each.trim() !== ''));
