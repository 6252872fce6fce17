import { expect, onTestFinished, test } from 'vitest';
import { setTaskDeadline } from '../../../machine/workers/taskDeadline.ts';
import { createThreadLink, isLinkAwaited } from '../../../machine/workers/threadLink.ts';
import { getWaitingClient, useRemoteLink } from './remoteClient.ts';

const read = () => getWaitingClient().read({ origin: 0, key: 'a' }, { from: 0, to: 1 }, { keeps: false });

test('a task that waits for another machine fails as origin_timeout before its thread is ended', () => {
  const { asking, answering } = createThreadLink();
  useRemoteLink(asking);
  onTestFinished(() => {
    useRemoteLink(undefined);
    setTaskDeadline(Infinity);
    asking.port.close();
    answering.port.close();
  });
  setTaskDeadline(200);

  expect(read).toThrow(expect.objectContaining({ code: 'origin_timeout' }));
  expect(isLinkAwaited(answering)).toBe(false);
});
