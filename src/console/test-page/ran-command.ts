import type { CommandServer, RanCommand } from '../../operator/trial/run-test-command.ts';
import { alert, codeBlock, form, freshForm, linkButton, submitButton } from '../../web/kit.ts';
import type { Page } from '../../web/layout.ts';
import { paths } from '../paths.ts';

const TRAIL = [{ label: 'Test', href: paths.test }];
const TONES = {
  delivered: 'good',
  refused: 'bad',
  'player-offline': 'warn',
  'not-sent': 'bad',
  unknown: 'warn',
} as const;

/** How a command ended, and what the game server answered. */
export const ranCommandPage = (ran: RanCommand): Page => ({
  title: 'Test command',
  trail: TRAIL,
  actions: linkButton('Run another', paths.test),
  body: [
    alert({ tone: TONES[ran.outcome], title: `On ${ran.server}: ${ran.sentence}` }),
    codeBlock({ id: 'command', label: 'Command', text: ran.command }),
    ran.reply !== null &&
      codeBlock({ id: 'reply', label: 'Reply', text: ran.reply === '' ? '(an empty reply)' : ran.reply }),
  ],
  json: ran,
});

/** Before a command runs where players see what it does, or when its operator has signed in again. */
export const confirmPage = (
  { server: { name: server }, isReal }: CommandServer,
  command: string,
  csrf: string,
): Page => ({
  title: `Run it on ${server}?`,
  trail: TRAIL,
  body: [
    isReal &&
      alert({
        tone: 'warn',
        title: `${server} is a real game server`,
        body: 'Players see what the command does, and it cannot be undone here.',
      }),
    codeBlock({ id: 'command', label: 'Command', text: command }),
    form({
      ...{ action: paths.testCommand, csrf, state: freshForm, fields: null },
      with: { server, command, confirmed: 'yes' },
      submit: [submitButton(`Run it on ${server}`, 'final'), linkButton('Do not run it', paths.test)],
    }),
  ],
  json: {
    code: 'confirm-first',
    message: `${server} is a real game server. Send the form again with confirmed=yes to run the command there.`,
  },
});
