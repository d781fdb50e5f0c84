import { z } from '@hono/zod-openapi';
import { GroupsInput, NewUser, PasswordReset, User, UserPatch } from '#core/model/accounts/user.ts';
import { defineRoute } from '../define.ts';
import { body, json, page, paging, userIdParam } from '../shapes.ts';

export const listUsers = defineRoute({
  operationId: 'users.list',
  method: 'get',
  path: '/api/auth/users',
  tags: ['users'],
  summary: 'List users',
  description:
    'Every user, including disabled ones and those of a directory who have signed in before; or one page of ' +
    'them if `limit` or `offset` is sent.',
  'x-access': 'admin',
  'x-scope': 'admin',
  request: {
    query: z.object({
      limit: paging.shape.limit.unwrap().optional().describe('By default 100 if `offset` is sent'),
      offset: paging.shape.offset.unwrap().optional(),
    }),
  },
  responses: { 200: page(User, 'Ordered by name') },
});

export const createUser = defineRoute({
  operationId: 'users.create',
  method: 'post',
  path: '/api/auth/users',
  tags: ['users'],
  summary: 'Create a local user',
  description: 'User names are unique, ignoring case.',
  'x-access': 'admin',
  'x-scope': 'session',
  'x-fresh': true,
  request: { body: body(NewUser) },
  refuses: ['username_taken', 'overloaded'],
  responses: { 201: json(User, 'Created') },
});

export const updateUser = defineRoute({
  operationId: 'users.update',
  'x-while-full': true,
  method: 'patch',
  path: '/api/auth/users/{user_id}',
  tags: ['users'],
  summary: 'Change the fields that are sent',
  description:
    'Takes effect in open sessions and terminals at once. A disabled user cannot sign in, sessions ' +
    'and terminals end, and API keys stop working. If directory groups are looked up, `is_admin` of ' +
    'a directory user is overwritten at the next sign-in.',
  'x-access': 'admin',
  'x-scope': 'session',
  'x-fresh': true,
  request: { params: userIdParam, body: body(UserPatch) },
  refuses: ['protected_account', 'user_not_found', 'last_admin', 'directory_account'],
  responses: {
    200: json(User, 'Changed'),
  },
});

export const setUserGroups = defineRoute({
  operationId: 'users.set_groups',
  'x-while-full': true,
  method: 'put',
  path: '/api/auth/users/{user_id}/groups',
  tags: ['users'],
  summary: 'Set the server groups that a user may reach',
  description:
    'Takes effect in open sessions and terminals at once. If directory groups are looked up, the ' +
    'groups of a directory user are overwritten at the next sign-in.',
  'x-access': 'admin',
  'x-scope': 'session',
  'x-fresh': true,
  request: { params: userIdParam, body: body(GroupsInput) },
  refuses: ['user_not_found'],
  responses: { 200: json(User, 'Changed') },
});

export const resetUserPassword = defineRoute({
  operationId: 'users.reset_password',
  'x-while-full': true,
  method: 'put',
  path: '/api/auth/users/{user_id}/password',
  tags: ['users'],
  summary: 'Reset the password of a local user',
  description: 'Ends the user’s sessions and terminals, and unlocks the account. API keys keep working.',
  'x-access': 'admin',
  'x-scope': 'session',
  'x-fresh': true,
  request: { params: userIdParam, body: body(PasswordReset) },
  refuses: ['user_not_found', 'directory_account', 'overloaded'],
  responses: {
    200: json(User, 'Changed'),
  },
});

export const resetUserTotp = defineRoute({
  operationId: 'users.reset_totp',
  'x-while-full': true,
  method: 'put',
  path: '/api/auth/users/{user_id}/totp-reset',
  tags: ['users'],
  summary: 'Disable a user’s second factor',
  description: 'For users who have lost their device and recovery codes.',
  'x-access': 'admin',
  'x-scope': 'session',
  'x-fresh': true,
  request: { params: userIdParam },
  refuses: ['user_not_found', 'own_account'],
  responses: { 200: json(User, 'Off') },
});

export const unlockUser = defineRoute({
  operationId: 'users.unlock',
  method: 'delete',
  path: '/api/auth/users/{user_id}/lock',
  tags: ['users'],
  summary: 'Unlock an account after failed sign-ins',
  description:
    'Also forgets the failures that were counted so far. Has no effect on an account that is not locked.',
  'x-access': 'admin',
  'x-scope': 'session',
  'x-fresh': true,
  request: { params: userIdParam },
  refuses: ['user_not_found'],
  responses: { 204: { description: 'Not locked' } },
});

export const deleteUser = defineRoute({
  operationId: 'users.delete',
  method: 'delete',
  path: '/api/auth/users/{user_id}',
  tags: ['users'],
  summary: 'Delete a user',
  description: 'Ends sessions and terminals and revokes API keys. The user’s audit entries are kept.',
  'x-access': 'admin',
  'x-scope': 'session',
  'x-fresh': true,
  request: { params: userIdParam },
  refuses: ['protected_account', 'user_not_found', 'last_admin'],
  responses: {
    204: { description: 'Deleted' },
  },
});
