import { z } from '@hono/zod-openapi';
import { BRANDING_IMAGES, Branding, BrandingInput } from '#core/model/settings/branding.ts';
import { defineRoute } from '../define.ts';
import { body, json } from '../shapes.ts';

const admin = { 'x-access': 'admin', 'x-scope': 'admin' } as const;

export const getBranding = defineRoute({
  operationId: 'branding.get',
  method: 'get',
  path: '/api/branding',
  tags: ['branding'],
  summary: 'Get the name, colors and images of this gateway',
  description: 'Anybody may read it, since the sign-in page shows it. Fields that were not set are empty.',
  'x-access': 'public',
  responses: { 200: json(Branding, 'Branding') },
});

export const brandingImage = defineRoute({
  operationId: 'branding.image',
  method: 'get',
  path: '/api/branding/images/{name}',
  tags: ['branding'],
  summary: 'Get an image',
  description: 'One of the images that `branding.get` names, for everybody.',
  'x-access': 'public',
  request: {
    params: z.object({ name: z.string().openapi({ type: 'string', enum: [...BRANDING_IMAGES] }) }),
    query: z.object({
      v: z.string().max(100).optional().describe('Digest of the image; with it, the answer never changes'),
    }),
  },
  refuses: ['image_not_found'],
  responses: {
    200: {
      content: { 'image/png': { schema: z.string().meta({ format: 'binary' }) } },
      description: 'PNG or WebP',
    },
  },
});

export const updateBranding = defineRoute({
  operationId: 'branding.update',
  method: 'put',
  path: '/api/branding',
  tags: ['branding'],
  summary: 'Change the branding',
  description:
    'Absent fields stay as they are. Colors are hex values. Images are decoded and encoded again, ' +
    'so that nothing but pixels is kept: logo at most 512 × 128, login image 1920 × 1200, favicon ' +
    '128 × 128.',
  ...admin,
  'x-body-limit': 9,
  request: { body: body(BrandingInput) },
  refuses: ['config_locked', 'image_unreadable'],
  responses: {
    200: json(Branding, 'The changed branding'),
  },
});

export const deleteBranding = defineRoute({
  operationId: 'branding.reset',
  method: 'delete',
  path: '/api/branding',
  tags: ['branding'],
  summary: 'Reset to the default branding',
  description: 'Name, colors and images are deleted and cannot be restored.',
  ...admin,
  refuses: ['config_locked'],
  responses: { 204: { description: 'Reset' } },
});
