// A program that runs Teller's commands: node command-receiver.mjs PORT SECRET
// It needs nothing but Node.js. Replace `runs` and `online` with what your game has.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const [port, secret] = [Number(process.argv[2]), process.argv[3]];

/** Runs a command, and says how it ended: `delivered`, or `refused` or `player-offline` if it did not run. */
const runs = (command) => {
  process.stdout.write(`runs: ${command}\n`);
  return { outcome: 'delivered', reply: `ran ${command}` };
};

/** Who is on the server. */
const online = () => [{ name: 'Steve', uuid: '069a79f4-44e9-4726-a5be-fca90e38aaf5' }];

const sign = (bytes) => `sha256=${createHmac('sha256', secret).update(bytes).digest('hex')}`;
const isSame = (one, other) => one.length === other.length && timingSafeEqual(one, other);

/**
 * The answers to the commands that ran, by commandId. Keep this in your database, in the transaction that pays, so that it
 * survives a restart. A command that did not run is not kept: Teller sends it again with the same commandId.
 */
const ran = new Map();

function answerTo({ ask, command, commandId }) {
  if (ask === 'players') return { players: online() };
  if (commandId === undefined) return runs(command); // an operator tries it
  if (ran.has(commandId)) return ran.get(commandId);
  const answer = runs(command);
  if (answer.outcome === 'delivered') ran.set(commandId, answer);
  return answer;
}

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  const signature = request.headers['x-webhook-signature'] ?? '';
  if (!isSame(Buffer.from(signature), Buffer.from(sign(body)))) {
    response.writeHead(401).end();
    return;
  }
  const asked = JSON.parse(body);
  const answer = JSON.stringify(answerTo(asked));
  response.writeHead(200, { 'X-Webhook-Signature': sign(`${asked.id}.${answer}`) }).end(answer);
});
server.listen(port, '127.0.0.1', () => process.stdout.write(`ready on port ${server.address().port}\n`));
