import { doInTurns, type WorkInTurns } from '../../machine/workers/doInTurns.ts';
import { lacksFrames } from '../series/inspectFrameCounts.ts';
import type { AuditPart } from './auditWork.ts';
import { countWords, fileUnit, listFoundFiles, seriesUnit, toFinding } from './finding.ts';

/** What is odd about the places of images, for all series of which a file is chosen; and files without all their frames. */
export const findGeometry: AuditPart = async ({ catalog, series }, run, list) => {
  const { files, signal, onProgress } = run;
  const chosen = new Set<string>();

  function* lookAtFiles(): WorkInTurns<void> {
    for (const file of files) {
      chosen.add(`${file.studyInstanceUid}/${file.seriesInstanceUid}`);
      if (lacksFrames(file)) {
        const { declaredFrameCount = 0, frameCount } = file;
        list.add(
          toFinding({
            code: 'frame_count_differs',
            unit: fileUnit(file),
            files: listFoundFiles([file]),
            count: declaredFrameCount - frameCount,
            message: `the file declares ${countWords(declaredFrameCount, 'frame')}, and ${frameCount} of them can be shown`,
            values: { declared: declaredFrameCount, present: frameCount },
          }),
        );
      }
      yield;
    }
  }

  await doInTurns(lookAtFiles(), signal);
  for await (const { findings: found, next, total } of series.inspect(signal)) {
    for (const { fileIndices, studyInstanceUid, seriesInstanceUid, ...finding } of found) {
      const named = fileIndices.flatMap((index) => catalog.files[index] ?? []);
      const [first] = named;
      if (first === undefined || !chosen.has(`${studyInstanceUid}/${seriesInstanceUid}`)) continue;
      list.add(
        toFinding({
          ...finding,
          unit: seriesUnit(first),
          files: listFoundFiles(named),
          values: { ...finding.values },
        }),
      );
    }
    onProgress({ doing: 'positions', done: next, total });
  }
  return true;
};
