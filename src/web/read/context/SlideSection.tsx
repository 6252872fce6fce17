import type { FileRecord } from '../../../shared/contract/files.ts';
import type { WirePyramidLevel, WsiContextResponse } from '../../../shared/contract/wsi.ts';
import { fetchSlideContext } from '../../kit/api/slides.ts';
import { formatValue } from '../../kit/ui/formatNumbers.ts';
import { useAnswer } from '../../kit/state/useAnswer.ts';
import { FailureMessage } from '../../kit/ui/PanelMessage.tsx';
import styles from './ContextPanel.module.css';
import type { Fact } from './facts.ts';
import { FactSection, Warnings } from './FactSection.tsx';
import { groupDigits } from '../../kit/ui/groupDigits.ts';

function askContext(fileIndex: number, signal: AbortSignal) {
  return fetchSlideContext({ fileIndex, frame: 0 }, signal);
}

const TILING = { full: 'full grid, in order', sparse: 'each tile declares its position', unknown: 'unknown' };

/** The pyramid that a slide image is part of. The minimap shows the position of the viewport on it. */
export function SlideSection({ file }: { readonly file: FileRecord }) {
  const { fileIndex, value, error, retry } = useAnswer(file.index, askContext);
  if (error !== undefined) return <FailureMessage error={error} onRetry={retry} />;
  if (value === undefined || fileIndex !== file.index) return undefined;
  return (
    <FactSection title="Slide" facts={slideFacts(value)}>
      {value.pyramid_levels.length > 0 && <Levels levels={value.pyramid_levels} own={value.pyramid_level} />}
      <Warnings warnings={value.warnings} />
    </FactSection>
  );
}

function slideFacts({ image_type_role, total_pixel_matrix, tiling_status, companions }: WsiContextResponse): Fact[] {
  const roles = companions.map((companion) => companion.image_type_role?.toLowerCase() ?? 'image');
  return [
    ['Role', image_type_role?.toLowerCase()],
    ['Total size', total_pixel_matrix === null ? 'unknown' : describeSize(total_pixel_matrix)],
    ['Tiles', TILING[tiling_status]],
    ['Companion images', [...new Set(roles)].join(', ')],
  ];
}

type LevelsProps = { readonly levels: readonly WirePyramidLevel[]; readonly own: number | null };

function Levels({ levels, own }: LevelsProps) {
  return (
    <table className={styles.table}>
      <thead>
        <tr>
          <th scope="col">Level</th>
          <th scope="col">Size</th>
          <th scope="col">µm per pixel</th>
        </tr>
      </thead>
      <tbody>
        {levels.map((level, i) => (
          <tr key={level.file_indices.join()}>
            <td>
              {i + 1}
              {i === own && ' (this image)'}
            </td>
            <td>{describeSize(level)}</td>
            <td>{level.mm_per_pixel === null ? 'unknown' : formatValue(level.mm_per_pixel * 1000)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function describeSize({ columns, rows }: { readonly columns: number; readonly rows: number }): string {
  return `${groupDigits(columns)} × ${groupDigits(rows)}`;
}
