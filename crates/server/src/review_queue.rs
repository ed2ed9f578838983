//! The pairs that wait for a decision, one page after another.

use lookalike::Id;
use lookalike::index::survey::Survey;
use lookalike::index::{DocumentName, Preview, ReviewOrder, ReviewPair, View, Waiting};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::access::Caller;
use crate::document::id_of;
use crate::error::{ApiError, ApiResult};
use crate::review::{PairName, Remarks};
use crate::state::App;

/// Which pairs are asked for.
pub enum Among {
    /// Those of clusters, by place in the survey.
    Clusters {
        survey: std::sync::Arc<Survey>,
        places: Vec<u32>,
        order: ReviewOrder,
    },
    /// Those of a batch, which each of its people decides of for themselves.
    Batch(Vec<PairName>),
    Tagged(Vec<PairName>),
    /// Those that people see differently.
    Disputed,
}

pub struct Asked {
    pub among: Among,
    /// `next` of the page before.
    pub after: Option<String>,
    pub limit: usize,
}

/// Pairs that wait for a decision.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ReviewQueue")]
pub struct Queue {
    pub pairs: Vec<QueueItem>,
    /// To be given as `after` for the pairs that come then; null if there are none.
    next: Option<String>,
    /// Pairs that wait, these included.
    left: usize,
    /// The same and those that were decided.
    total: usize,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ReviewPair")]
pub struct QueueItem {
    /// The one that stands for the cluster; of a pair in a batch, with a tag or disputed, either.
    pub a: QueueSide,
    pub b: QueueSide,
    /// Null if the two were never compared, or not found alike.
    #[schemars(range(min = 0, max = 1))]
    similarity: Option<f32>,
    /// Documents of the cluster; left out for pairs of a batch, with a tag or disputed.
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u32>,
    #[serde(flatten)]
    remarks: Remarks,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ReviewSide")]
pub struct QueueSide {
    #[schemars(with = "Id")]
    pub id: Box<RawValue>,
    #[serde(flatten)]
    pub preview: Preview,
    /// Documents with this content, itself included: a decision holds for all of them.
    copies: u64,
}

/// The last pair of a page, told so that the next page can go on after it even if it is gone: by names, because
/// numbers would tell of hidden documents.
#[derive(Serialize, Deserialize)]
struct Cursor(Box<RawValue>, Vec<String>, Box<RawValue>, Vec<String>, Option<f32>, u32);

impl Among {
    /// All pairs in order, whether or not they are decided.
    pub fn pairs(&self, app: &App, view: &View) -> ApiResult<Vec<ReviewPair>> {
        let reader = app.index.reader();
        let named = |pairs: &[PairName]| -> ApiResult<Vec<ReviewPair>> {
            let names: Vec<_> = pairs.iter().map(PairName::names).collect();
            let names: Vec<(DocumentName<'_>, DocumentName<'_>)> =
                names.iter().map(|[a, b]| ((&a.0, Some(a.1)).into(), (&b.0, Some(b.1)).into())).collect();
            Ok(reader.named_pairs(&names, view)?.into_iter().flatten().collect())
        };
        match self {
            Among::Clusters { survey, places, order } => {
                Ok(app.index.surveyor().review_pairs(survey, places, *order))
            }
            Among::Batch(pairs) | Among::Tagged(pairs) => named(pairs),
            Among::Disputed => Ok(reader.disputed(view)?),
        }
    }

    /// Which of these pairs wait.
    fn waits(&self, app: &App, caller: &Caller, pairs: &[ReviewPair]) -> Vec<bool> {
        let waiting = match self {
            Among::Batch(_) => Waiting::For(&caller.name),
            Among::Clusters { .. } | Among::Tagged(_) => Waiting::ForAnyone,
            // Although they are decided.
            Among::Disputed => return vec![true; pairs.len()],
        };
        app.index.reader().waiting(pairs, waiting, &caller.view)
    }
}

impl Asked {
    pub fn answer(&self, app: &App, caller: &Caller) -> ApiResult<Queue> {
        let pairs = self.among.pairs(app, &caller.view)?;
        let reader = app.index.reader();
        let waits = self.among.waits(app, caller, &pairs);
        let left = waits.iter().filter(|waits| **waits).count();
        let first = match &self.after {
            None => 0,
            Some(after) => self.start(app, &caller.view, &pairs, after)?,
        };
        let waiting = pairs.iter().zip(&waits).skip(first).filter(|(_, waits)| **waits);
        let page: Vec<ReviewPair> = waiting.map(|(pair, _)| *pair).take(self.limit + 1).collect();
        let more = page.len() > self.limit;
        let page = &page[..page.len().min(self.limit)];
        let numbers: Vec<u32> = page.iter().flat_map(|pair| [pair.a, pair.b]).collect();
        let previews = reader.previews(&numbers, &caller.view)?;
        let copies = reader.copies(&numbers, &caller.view);
        let mut items = Vec::with_capacity(page.len());
        let mut next = None;
        let sides = previews.into_iter().zip(copies).collect::<Vec<_>>();
        for (pair, sides) in page.iter().zip(sides.as_chunks().0) {
            // One of them was removed meanwhile.
            let [(Some((a, of_a)), copies_of_a), (Some((b, of_b)), copies_of_b)] = sides else { continue };
            let name = PairName::new((a, &of_a.labels), (b, &of_b.labels));
            let cursor = Cursor(
                raw(a)?,
                of_a.labels.clone(),
                raw(b)?,
                of_b.labels.clone(),
                pair.similarity,
                pair.size,
            );
            next = Some(serde_json::to_string(&cursor).map_err(|_| ApiError::internal())?);
            items.push(QueueItem {
                a: QueueSide { id: raw(a)?, preview: of_a.clone(), copies: *copies_of_a },
                b: QueueSide { id: raw(b)?, preview: of_b.clone(), copies: *copies_of_b },
                similarity: pair.similarity,
                size: Some(pair.size).filter(|size| *size > 0),
                remarks: app.review.remarks(&name),
            });
        }
        Ok(Queue { pairs: items, next: next.filter(|_| more), left, total: pairs.len() })
    }

    /// Where the page after the one that ended with this pair begins.
    fn start(&self, app: &App, view: &View, pairs: &[ReviewPair], after: &str) -> ApiResult<usize> {
        let wrong = || ApiError::bad_request("`after` must be the value of `next` in the page before");
        let Cursor(a, a_labels, b, b_labels, similarity, size) =
            serde_json::from_str(after).map_err(|_| wrong())?;
        let number = |id: &RawValue, labels: &[String]| -> ApiResult<Option<u32>> {
            let id = id_of(id).map_err(|_| wrong())?;
            Ok(app.index.reader().number_of((&id, Some(labels)), view)?)
        };
        let numbers = number(&a, &a_labels)?.zip(number(&b, &b_labels)?);
        let place = numbers.and_then(|(a, b)| pairs.iter().position(|pair| (pair.a, pair.b) == (a, b)));
        Ok(match (place, &self.among) {
            (Some(place), _) => place + 1,
            // It is no such pair any more: what was as uncertain is told again rather than left out.
            (None, Among::Clusters { survey, order, .. }) => {
                let gone = ReviewPair { a: 0, b: 0, similarity, size };
                pairs.partition_point(|pair| order.compare(survey.threshold, pair, &gone).is_lt())
            }
            (None, Among::Batch(_) | Among::Tagged(_) | Among::Disputed) => 0,
        })
    }
}

fn raw(id: &Id) -> ApiResult<Box<RawValue>> {
    RawValue::from_string(id.json().to_owned()).map_err(|_| ApiError::internal())
}
