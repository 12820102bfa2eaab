/** A network that fails: what sockets of this process do in the place of what they do by themselves. */
import { Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Until the test ends. */
export function replaced(
  method: 'connect' | '_write',
  by: (socket: Socket, ...given: unknown[]) => unknown,
): void {
  const before = Reflect.get(Socket.prototype, method);
  Reflect.set(Socket.prototype, method, function (this: Socket, ...given: unknown[]) {
    return by(this, ...given);
  });
  onTestFinished(() => void Reflect.set(Socket.prototype, method, before));
}

export const fault = (code: string): Error => Object.assign(new Error(code), { code });

/** Every connection fails like this before it is open. */
export const failing = (error: Error): void => replaced('connect', (socket) => socket.destroy(error));
