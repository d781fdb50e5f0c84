import { Ticket } from '#core/model/accounts/ticket.ts';
import { EmbedExchange, EmbedSession, EmbedSetup, EmbedTicketInput } from '#core/model/embed.ts';
import { defineRoute } from './define.ts';
import { body, json } from './shapes.ts';

export const embedSetup = defineRoute({
  operationId: 'embedding.setup',
  method: 'get',
  path: '/api/embedding',
  tags: ['embedding'],
  summary: 'The sites that may embed elements, and the integrity value of the module',
  description: 'The integrity value is for the `integrity` attribute of the script that loads the module.',
  'x-access': 'admin',
  'x-scope': 'admin',
  responses: { 200: json(EmbedSetup, 'As this instance was started') },
});

export const embedTicket = defineRoute({
  operationId: 'embedding.ticket',
  method: 'post',
  path: '/api/auth/embed-ticket',
  tags: ['embedding'],
  summary: 'Create a ticket for one embedded terminal or file view',
  description:
    'For a back end that signs its own users in. The ticket works once. Its holder can use the terminal ' +
    '(`kind: terminal`) or the files (`kind: files`) of this server as the caller, and nothing else. An API ' +
    'key needs the scope `terminal` or `files`.',
  'x-access': 'user',
  'x-scope': 'any',
  'x-rate': { name: 'embed_ticket', limit: 600, window_s: 60, by: 'user' },
  request: { body: body(EmbedTicketInput) },
  refuses: ['server_not_found', 'ssh_disabled', 'sftp_disabled'],
  responses: { 200: json(Ticket, 'The ticket') },
});

export const startEmbed = defineRoute({
  operationId: 'embedding.start',
  method: 'post',
  path: '/api/auth/embed-session',
  tags: ['embedding'],
  summary: 'Exchange a ticket for an embedded session',
  description:
    'The token may call only operations with `x-embed`, for its own server. Renew it before it expires. The ' +
    'session ends with the session or API key that minted the ticket, when the user loses access to the ' +
    'server, when somebody ends it, 15 minutes after it was last renewed, and at `ends_at`. Its terminals and ' +
    'transfers end with it.',
  'x-access': 'public',
  'x-rate': { name: 'embed_session', limit: 120, window_s: 60, by: 'ip' },
  request: { body: body(EmbedExchange) },
  refuses: [
    'invalid_ticket',
    'origin_refused',
    'ssh_disabled',
    'sftp_disabled',
    'password_change_required',
    'server_not_found',
    'too_many_embeds',
  ],
  responses: {
    200: json(EmbedSession, 'The session'),
  },
});

export const renewEmbed = defineRoute({
  operationId: 'embedding.renew',
  'x-while-full': true,
  method: 'post',
  path: '/api/auth/embed-session/renew',
  tags: ['embedding'],
  summary: 'Renew this embedded session',
  description: 'Answers a new token. With 403 `embed_over`, the session has reached its longest time.',
  'x-access': 'user',
  'x-scope': 'session',
  'x-embed': { kind: 'any' },
  refuses: ['embed_only', 'embed_over', 'server_not_found', 'ssh_disabled', 'sftp_disabled'],
  responses: { 200: json(EmbedSession, 'The session') },
});

export const endEmbed = defineRoute({
  operationId: 'embedding.end',
  method: 'delete',
  path: '/api/auth/embed-session',
  tags: ['embedding'],
  summary: 'End this embedded session, its terminals and its transfers',
  description: 'The token is refused from now on. The ticket cannot be exchanged again.',
  'x-access': 'user',
  'x-scope': 'session',
  'x-embed': { kind: 'any' },
  refuses: ['embed_only'],
  responses: { 204: { description: 'Ended' } },
});
