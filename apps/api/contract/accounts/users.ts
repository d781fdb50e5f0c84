import { z } from '@hono/zod-openapi';
import { GroupsInput, NewUser, PasswordReset, User, UserPatch } from '#core/model/user.ts';
import { defineRoute } from '../define.ts';
import { body, json, refusal, userIdParam } from '../shapes.ts';

const unknown = refusal('Unknown user');

export const listUsers = defineRoute({
  operationId: 'users.list',
  method: 'get',
  path: '/api/auth/users',
  tags: ['users'],
  summary: 'All users',
  'x-access': 'admin',
  'x-scope': 'admin',
  responses: { 200: json(z.array(User), 'Ordered by name') },
});

export const createUser = defineRoute({
  operationId: 'users.create',
  method: 'post',
  path: '/api/auth/users',
  tags: ['users'],
  summary: 'Create a local user',
  description: 'Names are unique without regard to case.',
  'x-access': 'admin',
  'x-scope': 'admin',
  request: { body: body(NewUser) },
  responses: { 201: json(User, 'Created'), 409: refusal('The name is taken') },
});

export const updateUser = defineRoute({
  operationId: 'users.update',
  method: 'patch',
  path: '/api/auth/users/{user_id}',
  tags: ['users'],
  summary: 'Change the fields that are sent',
  description:
    'Reaches open sessions and terminals at once. A disabled user can’t sign in; sessions and terminals end, API keys do not ' +
    'work. `is_admin` of a directory user is set anew at the next sign-in when the directory’s groups are looked up.',
  'x-access': 'admin',
  'x-scope': 'admin',
  request: { params: userIdParam, body: body(UserPatch) },
  responses: {
    200: json(User, 'Changed'),
    400: refusal('The default administrator stays one'),
    404: unknown,
    409: refusal('The last enabled administrator stays one; or the directory keeps the password'),
  },
});

export const setUserGroups = defineRoute({
  operationId: 'users.set_groups',
  method: 'put',
  path: '/api/auth/users/{user_id}/groups',
  tags: ['users'],
  summary: 'Set the groups of servers that a user may reach',
  description:
    'Reaches open sessions and terminals at once. Those of a directory user are set anew at the next sign-in when the ' +
    'directory’s groups are looked up.',
  'x-access': 'admin',
  'x-scope': 'admin',
  request: { params: userIdParam, body: body(GroupsInput) },
  responses: { 200: json(User, 'Changed'), 404: unknown },
});

export const resetUserPassword = defineRoute({
  operationId: 'users.reset_password',
  method: 'put',
  path: '/api/auth/users/{user_id}/password',
  tags: ['users'],
  summary: 'Give a local user a new password',
  description: 'Ends the user’s sessions and terminals, and a lock after failed sign-ins. API keys stay.',
  'x-access': 'admin',
  'x-scope': 'admin',
  request: { params: userIdParam, body: body(PasswordReset) },
  responses: {
    200: json(User, 'Changed'),
    404: unknown,
    409: refusal('The directory keeps the password'),
  },
});

export const resetUserTotp = defineRoute({
  operationId: 'users.reset_totp',
  method: 'put',
  path: '/api/auth/users/{user_id}/totp-reset',
  tags: ['users'],
  summary: 'Switch the second factor of a user off',
  description: 'For somebody who has lost the device and the recovery codes.',
  'x-access': 'admin',
  'x-scope': 'admin',
  request: { params: userIdParam },
  responses: { 200: json(User, 'Off'), 404: unknown },
});

export const unlockUser = defineRoute({
  operationId: 'users.unlock',
  method: 'delete',
  path: '/api/auth/users/{user_id}/lock',
  tags: ['users'],
  summary: 'End the lock after failed sign-ins',
  'x-access': 'admin',
  'x-scope': 'admin',
  request: { params: userIdParam },
  responses: { 204: { description: 'Not locked' }, 404: unknown },
});

export const deleteUser = defineRoute({
  operationId: 'users.delete',
  method: 'delete',
  path: '/api/auth/users/{user_id}',
  tags: ['users'],
  summary: 'Delete a user',
  description: 'Sessions and terminals end, API keys are revoked. What the audit log says of the user stays.',
  'x-access': 'admin',
  'x-scope': 'admin',
  request: { params: userIdParam },
  responses: {
    204: { description: 'Deleted' },
    400: refusal('The default administrator stays'),
    404: unknown,
    409: refusal('The last enabled administrator stays'),
  },
});
