import * as z from 'zod';
import {
  distinct,
  host,
  line,
  listeningPort,
  network,
  origin,
  RESTART,
  secretReference,
  section,
} from '../core/config-values.ts';

const publicPage = section({
  host: host
    .prefault('127.0.0.1')
    .describe('Address to listen on for the public page. Any address is fine: it shows nothing private.')
    .meta(RESTART),
  port: listeningPort.describe('Port to listen on for the public page; 0 picks a free one.').meta(RESTART),
  publicUrl: origin
    .optional()
    .describe('Address that browsers use, if a proxy is in front, such as "https://vote.example.com".')
    .meta(RESTART),
  name: line(64).optional().describe('Name of your server, as the title of the page.').meta(RESTART),
});

/** The pages for the operator, and the one for players. */
export const consoleSchema = section({
  host: host
    .prefault('127.0.0.1')
    .describe('Address to listen on for the console’s pages. Any other than loopback requires `password`.')
    .meta(RESTART),
  port: listeningPort
    .prefault(8193)
    .describe('Port to listen on for the console’s pages; 0 picks a free one.')
    .meta(RESTART),
  password: secretReference
    .optional()
    .describe(
      'Hash of the password that opens the console: "file:PATH" or "env:NAME". `teller console password` creates it. Without it, only the one-time link of `teller console open` does.',
    ),
  publicUrl: origin
    .optional()
    .describe('Address that browsers use, if a proxy is in front, such as "https://teller.example.com".')
    .meta(RESTART),
  trustedProxies: distinct(network, 0, 100)
    .prefault([])
    .describe(
      'Networks of the reverse proxies in front, also of the public page, whose X-Forwarded-For is trusted.',
    )
    .meta(RESTART),
  metrics: z
    .enum(['token', 'open'])
    .default('token')
    .describe(
      'Who may read /metrics. token: only programs that send `metricsToken`. open: everyone who reaches the port.',
    ),
  metricsToken: secretReference
    .optional()
    .describe('Bearer token for /metrics: "file:PATH", "env:NAME" or the token itself.')
    .meta(RESTART),
  public: publicPage
    .optional()
    .describe(
      'A page for your players: vote links, when each player may vote again, tops and parties. Off by default.',
    ),
});
