/**
 * Scrolling over content that is higher than an element can be.
 *
 * Above the limit the element is only as high as the limit. A large step, such as one of the scrollbar, is then scaled to the
 * content; a small one, such as one of a wheel, moves the content by as many pixels. Small steps make the scrollbar run ahead of
 * the content, so it is put right (`anchor`) when the reader pauses, or has reached an end of the scrollbar but not of the content.
 */

/** Browsers stop at 16 to 33 million pixels. */
const HIGHEST = 8_000_000;
/** At either end nothing is scaled: there the element would run out of pixels before the content does. */
const EDGE = 100_000;

export class TallScroll {
  /** The pixel of the content at the upper edge. */
  position = 0;
  private top = 0;
  private content = 0;
  private viewport = 0;

  /** Takes the height of the content and of the part that is seen. */
  layout(content: number, viewport: number): void {
    this.content = content;
    this.viewport = viewport;
  }

  /** Of the element that is scrolled. */
  get height(): number {
    return Math.min(this.content, HIGHEST);
  }

  get isScaled(): boolean {
    return this.content > HIGHEST;
  }

  /** How much further down the element shows the content than an element of its full height would. */
  get shift(): number {
    return this.top - this.position;
  }

  /** Follows the element, and tells whether the scrollbar has to be put right at once. */
  scrolled(top: number): boolean {
    const step = top - this.top;
    this.top = top;
    if (!this.isScaled) {
      this.position = top;
      return false;
    }
    if (Math.abs(step) > 2 * this.viewport) {
      this.position = this.clamp(this.positionAt(top));
      return false;
    }
    this.position = this.clamp(this.position + step);
    const atEnd = top <= 0 || top >= this.lastTop;
    return atEnd && this.anchored !== Math.round(top);
  }

  /** Where the element has to be scrolled to for the position. */
  anchor(): number {
    this.top = this.anchored;
    return this.top;
  }

  moveTo(position: number): number {
    this.position = this.clamp(position);
    return this.anchor();
  }

  private get anchored(): number {
    return Math.round(this.topAt(this.position));
  }

  private positionAt(top: number): number {
    if (top <= EDGE) return top;
    if (top >= this.lastTop - EDGE) return this.lastPosition - (this.lastTop - top);
    return EDGE + (top - EDGE) * this.ratio;
  }

  private topAt(position: number): number {
    if (!this.isScaled || position <= EDGE) return position;
    if (position >= this.lastPosition - EDGE) return this.lastTop - (this.lastPosition - position);
    return EDGE + (position - EDGE) / this.ratio;
  }

  private get lastTop(): number {
    return Math.max(0, this.height - this.viewport);
  }

  private get lastPosition(): number {
    return Math.max(0, this.content - this.viewport);
  }

  /** Pixels of the content for one of the element, between the edges. */
  private get ratio(): number {
    return (this.lastPosition - 2 * EDGE) / (this.lastTop - 2 * EDGE);
  }

  private clamp(position: number): number {
    return Math.min(Math.max(0, position), this.lastPosition);
  }
}
