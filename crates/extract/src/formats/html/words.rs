//! The words that authors use to name the parts of a page, and the automaton that finds them.
//!
//! One pass over a class or id finds all words in it (Aho and Corasick). Word boundaries count, so
//! `relatedPosts`, `related-posts` and `related_posts` are the same two words.

use std::sync::LazyLock;

use aho_corasick::Anchored;
use aho_corasick::automaton::Automaton;
use aho_corasick::dfa::DFA;

use super::hints::Hints;

/// Words by meaning; `_` is a word boundary, without it the word may continue.
const WORDS: [(Hints, &str); 13] = [
    (
        Hints::HIDDEN,
        "_visually_hidden_ _screen_reader_ _screenreader_ _sr_only_ _visuallyhidden_ \
         _element_invisible_ _print_only_ _u_hidden_",
    ),
    (
        Hints::NAVIGATION,
        "_nav_ navbar navigation _menu_ breadcrumb bread_crumb pagination _pager_ _paging_ \
         _page_links_ _toc_ _subnav_ _skip_link _prev_next _next_prev _post_nav _jump_ _link_list_ \
         sitemap",
    ),
    (
        Hints::FRAME,
        "masthead sidebar _side_bar_ _side_column_ _rail_ _banner_ modal popup pop_up_ _overlay_ _lightbox toolbar _tool_bar_ _tools_ _utility_ \
         _widget_ _widgets_ _search_ _site_header_ _global_header_ \
         _page_header_ _topbar_ _top_bar_ _bottom_bar_ _tooltip_ _alert_ _notification _ticker_ \
         _print_link _login_ _aside_ _adblock _no_js_ _noscript_ _browser_upgrade_ _rating_ \
         _ratings_ _poll_ _quiz_ _skip_to_ _secondary_ _accessib _backtotop_ _back_to_top_ \
         _feedback_ _report_abuse_ _correction_",
    ),
    (
        Hints::FRAME.with(Hints::NOTICE),
        "footer cookie consent _gdpr privacy copyright _legal_ _disclaimer_ _wm_ipp",
    ),
    (
        Hints::SHARE,
        "_share sharing _social addthis addtoany _follow_ sociable _whatsapp_ _pinterest_ _shariff",
    ),
    (
        Hints::RELATED,
        "related recommend _recirc _trending _most_read _most_popular mostpopular mostread \
         _popular_ _read_more readmore _read_next _up_next_ _more_from _more_stories _more_on_ \
         _more_news _see_also seealso _also_read _also_like _you_may _you_might _further_reading_ \
         _suggested _similar_ _other_news _othernews _other_stories _latest _next_article \
         _next_post _next_story _in_this_ _dont_miss _don_t_miss _top_stories _teaser _promo \
         promoted _more_articles _inline_story_ _onward_ crosslink _cross_link _linkbox _link_box_ \
         _listing_ carousel _slider_ _crp_ yarpp _zergnet _article_list _headlines_ _rich_link \
         _read_also _internal_link _interlink _card_list_ _in_article_link _interstitial_link",
    ),
    (
        Hints::COMMENT,
        "commentlist _comment disqus _respond_ _replies_ _discussion_ _talkback _viafoura _livefyre",
    ),
    (
        Hints::ADVERT,
        "_ad_ _ads_ advert _adsense _sponsor sponsored _dfp_ outbrain taboola _adslot _adcontainer \
         _adbox_ _commercial _affiliate _mpu_ _gpt_ _revcontent _merchandis _shopping_ _donate_ \
         _donation _partner_",
    ),
    (
        Hints::CAPTION,
        "caption _credit_ _credits_ _photo_credit _image_credit _image_source_ _img_desc \
         _media_desc _photo_info_ _image_meta_",
    ),
    (
        Hints::BYLINE,
        "byline _by_line_ _author_ _authors_ dateline timestamp _time_stamp _publish_date _pubdate_ \
         _published_ _posted_on_ _article_info_ _article_infos_ _meta_ _postmeta_ _postmetadata_ \
         _post_info_ _date_ _bio_ _writer_ _contributor _article_header_ _entry_header_ \
         _reading_time_ _read_time_ _infoline_ _datum_ _metadata_ _article_author _user_info_ \
         _user_profile_ _avatar_ _kicker_ _eyebrow_ _story_meta _post_header_",
    ),
    (
        Hints::TAGS,
        "_tags_ _taglist_ _tag_list_ _tagcloud_ _tag_cloud_ _topics_ _categories_ _category_list_ \
         _keywords_ _filed_under_ _cat_links_ _tag_links_ _tagged_ _labels_ _article_topics",
    ),
    (
        Hints::BODY,
        "articlebody article_body entry_content entrycontent post_content postcontent post_body \
         postbody story_body storybody article_content articlecontent article_text articletext \
         story_content storycontent story_text storytext post_text post_entry _body_text_ bodytext \
         body_copy bodycopy article_main_body _rich_text_ _richtext_ news_content newscontent \
         _text_content_ news_text newstext content_body _copy_paste_ _article_copy_ _article_rich_ \
         _articlepage_content_",
    ),
    (
        Hints::SIGN_UP,
        "newsletter subscri _signup _sign_up _paywall _register_ _registration _optin _opt_in_ \
         _mailchimp _mc_embed _email_form _call_to_action _cta_ _inline_form_ _piano_ _regwall \
         _membership",
    ),
];

/// The hints of the words in a class or id.
pub fn hints_in(names: &str) -> Hints {
    static FINDER: LazyLock<Option<Finder>> = LazyLock::new(Finder::new);
    FINDER.as_ref().map_or(Hints::default(), |finder| finder.search(names))
}

/// A word boundary.
const LIMIT: u8 = b'_';

struct Finder {
    automaton: DFA,
    /// What each word means, in the order of the automaton's patterns.
    meanings: Vec<Hints>,
}

/// Letters in lower case, or a word boundary.
fn symbol(byte: u8) -> u8 {
    if byte.is_ascii_alphabetic() { byte.to_ascii_lowercase() } else { LIMIT }
}

impl Finder {
    /// `None` only if there were more words than an automaton can hold.
    fn new() -> Option<Self> {
        let each = |(hints, words): (Hints, &'static str)| {
            words.split_ascii_whitespace().map(move |word| (word, hints))
        };
        let (words, meanings): (Vec<&str>, Vec<Hints>) = WORDS.into_iter().flat_map(each).unzip();
        Some(Finder { automaton: DFA::new(words).ok()?, meanings })
    }

    fn search(&self, names: &str) -> Hints {
        let mut hints = Hints::default();
        let Ok(mut state) = self.automaton.start_state(Anchored::No) else { return hints };
        let mut step = |symbol: u8| {
            state = self.automaton.next_state(Anchored::No, state, symbol);
            if self.automaton.is_match(state) {
                for place in 0..self.automaton.match_len(state) {
                    let word = self.automaton.match_pattern(state, place);
                    hints = hints.with(self.meanings.get(word.as_usize()).copied().unwrap_or_default());
                }
            }
        };
        step(LIMIT);
        let mut before = b' ';
        for byte in names.bytes() {
            if byte.is_ascii_uppercase() && before.is_ascii_lowercase() {
                step(LIMIT);
            }
            // Several boundaries in a row are one.
            if symbol(byte) != LIMIT || symbol(before) != LIMIT {
                step(symbol(byte));
            }
            before = byte;
        }
        if symbol(before) != LIMIT {
            step(LIMIT);
        }
        hints
    }
}
