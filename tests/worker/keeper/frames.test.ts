import { describe, expect, it } from 'vitest';
import { BadFrame, createFrameReader, encodeFrame, FRAME_KINDS } from '#worker/keeper/frames.ts';
import { decodeMessage, Order } from '#worker/keeper/messages.ts';

const { control, data } = FRAME_KINDS;

describe('Frames of a keeper', () => {
  it('arrive whole, however the stream is cut', () => {
    const stream = Buffer.concat([
      encodeFrame(data, 7, Buffer.from('one')),
      encodeFrame(control, 0, Buffer.alloc(70_000, 'x')),
      encodeFrame(data, 8, Buffer.alloc(0)),
    ]);
    for (const step of [1, 5, 4096, stream.length]) {
      const read = createFrameReader();
      const frames = [];
      for (let at = 0; at < stream.length; at += step) frames.push(...read(stream.subarray(at, at + step)));
      expect(frames.map(({ kind, shell, payload }) => [kind, shell, payload.length])).toEqual([
        [data, 7, 3],
        [control, 0, 70_000],
        [data, 8, 0],
      ]);
    }
  });

  it.each([0, 4, 600 * 1024, 0xffffffff])(
    'are refused before they are buffered, with a length of %d',
    (length) => {
      const head = Buffer.alloc(9);
      head.writeUInt32BE(length);
      expect(() => createFrameReader()(head)).toThrow(BadFrame);
    },
  );

  it('are not sent when they are too long', () => {
    expect(() => encodeFrame(data, 1, Buffer.alloc(600 * 1024))).toThrow(BadFrame);
  });

  it('name the place of what is wrong in a message, never its content', () => {
    const order = { say: 'open', call: 1, target: { hops: [{ auth: { method: 'password', password: 5 } }] } };
    const decode = () => decodeMessage(Order, Buffer.from(JSON.stringify({ ...order, secret: 'hunter2' })));
    expect(decode).toThrow(/target\.hops/);
    expect(decode).not.toThrow(/hunter2/);
  });
});
